"""The OpenAPI document is one by the specification's own schema."""

from openapi_spec_validator import OpenAPIV31SpecValidator

from api.app import create_app
from api.core.settings import ApiSettings


def test_the_document_is_valid_openapi() -> None:
    document = create_app(ApiSettings()).openapi()
    assert document["openapi"].startswith("3.1.")
    assert [str(error.message) for error in OpenAPIV31SpecValidator(document).iter_errors()] == []


def test_a_session_that_may_be_left_out_is_described_so() -> None:
    document = create_app(ApiSettings()).openapi()
    assert document["paths"]["/api/v2/auth/login/siwe"]["post"]["security"] == [{"WalletSession": []}, {}]
    assert document["paths"]["/api/v2/auth/sessions"]["get"]["security"] == [{"WalletSession": []}]
