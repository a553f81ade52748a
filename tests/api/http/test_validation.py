"""What FastAPI found wrong is said in the service's own words, the field first."""

from typing import Annotated, Any

import pytest
from fastapi.exceptions import RequestValidationError
from pydantic import AfterValidator, BaseModel, BeforeValidator, Field, ValidationError

from api.http.validation import from_validation


class Body(BaseModel):
    """Members whose length is bounded."""

    text: Annotated[str, Field(min_length=2, max_length=3)] = "ab"
    checked_text: Annotated[str, BeforeValidator(lambda text: text), Field(min_length=2, max_length=3)] = "ab"
    cleaned_text: Annotated[str, AfterValidator(str.strip), Field(min_length=2, max_length=3)] = "ab"
    items: Annotated[list[int], Field(min_length=2, max_length=3)] = [1, 2]


def said(body: dict[str, Any]) -> str:
    with pytest.raises(ValidationError) as caught:
        Body.model_validate(body)
    found = [{**error, "loc": ("body", *error["loc"])} for error in caught.value.errors()]
    return from_validation(RequestValidationError(found)).message


@pytest.mark.parametrize("member", ["text", "checked_text", "cleaned_text"])
def test_the_length_of_text_is_in_characters(member: str) -> None:
    assert said({member: "abcd"}) == f"{member}: must have at most 3 characters"
    assert said({member: "a"}) == f"{member}: must have at least 2 characters"


def test_the_length_of_a_list_is_in_items() -> None:
    assert said({"items": [1, 2, 3, 4]}) == "items: must have at most 3 items"
    assert said({"items": [1]}) == "items: must have at least 2 items"
