"""The SQLAlchemy models say what the migrations make."""

from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext
from sqlalchemy import create_engine, inspect
from sqlalchemy.pool import NullPool

from api.models import Base
from warehouse.postgres import sqlalchemy_url


def test_no_difference_between_models_and_migrations(store_url: str) -> None:
    engine = create_engine(sqlalchemy_url(store_url), poolclass=NullPool)
    with engine.connect() as connection:
        context = MigrationContext.configure(
            connection,
            opts={
                "compare_type": True,
                "compare_server_default": True,
                "include_object": lambda _, name, kind, __, ___: (kind, name) != ("table", "alembic_version"),
            },
        )
        assert compare_metadata(context, Base.metadata) == []
        sequences = {name for name in inspect(connection).get_sequence_names() if not name.startswith("asset_run")}
    assert sequences == set(Base.metadata._sequences)
