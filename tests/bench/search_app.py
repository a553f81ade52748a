"""The application with one more route, which does nothing: what a request costs before any work."""

from fastapi import FastAPI

from api.app import create_app


def create() -> FastAPI:
    """The app of the benchmark, for ``uvicorn --factory``."""
    app = create_app()

    @app.get("/api/v2/bench/empty")
    async def empty() -> dict[str, str]:
        return {}

    return app
