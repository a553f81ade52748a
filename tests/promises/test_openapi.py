"""The OpenAPI document is one by the specification's own schema."""

from openapi_spec_validator import OpenAPIV31SpecValidator

from api.app import create_app
from api.settings import ApiSettings


def test_the_document_is_valid_openapi() -> None:
    document = create_app(ApiSettings()).openapi()
    assert document["openapi"].startswith("3.1.")
    assert [str(error.message) for error in OpenAPIV31SpecValidator(document).iter_errors()] == []


def test_a_session_that_may_be_left_out_is_described_so() -> None:
    document = create_app(ApiSettings()).openapi()
    assert document["paths"]["/api/v2/auth/login/siwe"]["post"]["security"] == [{"WalletSession": []}, {}]
    assert document["paths"]["/api/v2/auth/sessions"]["get"]["security"] == [{"WalletSession": []}]


def test_every_link_leads_to_an_operation_with_those_parameters() -> None:
    document = create_app(ApiSettings()).openapi()
    operations = {one["operationId"]: one for methods in document["paths"].values() for one in methods.values()}
    linked = [
        link
        for one in operations.values()
        for response in one["responses"].values()
        for link in response.get("links", {}).values()
    ]
    assert len(linked) > 15
    for link in linked:
        taken = {parameter["name"] for parameter in operations[link["operationId"]].get("parameters", ())}
        assert set(link["parameters"]) <= taken, link
