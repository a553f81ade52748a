"""Examples for the OpenAPI document."""

from typing import Any

CID = "bafkreihe4hlilmerevb4o5g7xhoe35r4vdjmmtiwwkryhdnjdznkucwkbi"
DOCUMENT: dict[str, Any] = {
    "name": "Pepe",
    "description": "The frog.",
    "website": "https://pepe.example",
    "logoUrl": "ipfs://bafkreifzjut3te2nhyekklss27nh3k72ysco7y32koao5eei66wof36n5e",
}
UPLOADED: dict[str, Any] = {
    "cid": CID,
    "uri": f"ipfs://{CID}",
    "url": f"https://api.example/api/v2/public/metadata/{CID}",
    "contentType": "application/json",
    "size": 166,
}
