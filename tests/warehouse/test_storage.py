import io
from pathlib import Path

import pytest

from tests.fixtures.buckets import BUCKET
from warehouse.storage import BadTarget, Storage, StorageError, open_storage


@pytest.fixture(params=["folder", pytest.param("bucket", marks=pytest.mark.slow)])
def storage(request: pytest.FixtureRequest, tmp_path: Path) -> Storage:
    if request.param == "folder":
        return open_storage(str(tmp_path / "target"))
    return open_storage(f"s3://{BUCKET}/files/{tmp_path.name}", request.getfixturevalue("s3_environment"))


def read(storage: Storage, path: str) -> bytes:
    with storage.reader(path) as stream:
        content: bytes = stream.read()
    return content


def test_files_are_written_listed_read_and_deleted(storage: Storage) -> None:
    assert storage.sizes("a") == {}
    assert storage.write("a/b/one", io.BytesIO(b"first")) == 5
    storage.write("a/b/one", io.BytesIO(b"again, longer"))
    storage.write("a/two", io.BytesIO(b""))
    storage.write("other", io.BytesIO(b"x"))

    assert storage.sizes("a") == {"a/b/one": 13, "a/two": 0}
    assert read(storage, "a/b/one") == b"again, longer"
    with pytest.raises(FileNotFoundError):
        read(storage, "a/none")

    storage.delete("a/two")
    storage.delete("a/two")
    assert storage.sizes("a") == {"a/b/one": 13}
    storage.delete_folder("a")
    storage.delete_folder("a")
    assert storage.sizes("a") == {}
    assert read(storage, "other") == b"x"


@pytest.mark.parametrize(
    ("target", "environment", "wrong"),
    [
        ("", {}, "name a folder"),
        ("ftp://host/folder", {}, "ftp"),
        ("s3:///prefix", {}, "s3://bucket/prefix"),
        ("s3://key:secret@bucket/prefix", {}, "credentials do not belong in a URL"),
        ("s3://bucket", {"AWS_ACCESS_KEY_ID": "k"}, "AWS_SECRET_ACCESS_KEY"),
        ("s3://bucket", {"AWS_ENDPOINT_URL": "minio:9000"}, "AWS_ENDPOINT_URL"),
    ],
)
def test_a_wrong_target_is_an_error(target: str, environment: dict[str, str], wrong: str) -> None:
    with pytest.raises(BadTarget, match=wrong):
        open_storage(target, environment)


def test_a_temporary_key_cannot_be_handed_to_clickhouse() -> None:
    environment = {"AWS_ACCESS_KEY_ID": "k", "AWS_SECRET_ACCESS_KEY": "s", "AWS_SESSION_TOKEN": "t"}
    with pytest.raises(BadTarget, match="AWS_SESSION_TOKEN"):
        open_storage("s3://bucket/prefix", environment).for_clickhouse("warehouse")


def test_clickhouse_is_told_where_and_with_which_key(tmp_path: Path) -> None:
    environment = {"AWS_ACCESS_KEY_ID": "k", "AWS_SECRET_ACCESS_KEY": "it's", "AWS_REGION": "eu-west-1"}
    amazon = open_storage("s3://bucket/pre", environment)
    ours = open_storage("s3://bucket/pre", {"AWS_ENDPOINT_URL": "https://minio:9000/"})

    assert amazon.for_clickhouse("a") == "S3('https://bucket.s3.eu-west-1.amazonaws.com/pre/a', 'k', 'it\\'s')"
    assert ours.for_clickhouse("a") == "S3('https://minio:9000/bucket/pre/a')"
    assert open_storage(f"file://{tmp_path}").for_clickhouse("a") == f"File('{tmp_path}/a')"
    assert "it's" not in amazon.shown


@pytest.mark.slow
def test_a_bucket_that_does_not_exist_is_named(s3_environment: dict[str, str]) -> None:
    with pytest.raises(StorageError, match="s3://nowhere/x"):
        open_storage("s3://nowhere/x", s3_environment).write("file", io.BytesIO(b"x"))
