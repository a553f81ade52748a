"""Three plots from the marts: volume per exchange, a token's price with its liquidity, and who holds it.

Open it with ``marimo edit docs/notebooks/marts.py``. MARTS_URL says where the marts are, such as
http://analyst:password@127.0.0.1:8123/marts.
"""

import marimo

app = marimo.App(width="medium", app_title="Regalia's marts")


@app.cell
def connect():
    import os

    import clickhouse_connect
    import matplotlib.pyplot as plt
    import polars as pl

    client = clickhouse_connect.get_client(dsn=os.environ["MARTS_URL"])

    def ask(statement: str, **parameters: object) -> pl.DataFrame:
        return pl.from_arrow(client.query_arrow(statement, parameters=parameters, use_strings=True))

    return ask, plt


@app.cell
def volume(ask, plt):
    volume_by_day = ask("""
        SELECT toDateTime64(toStartOfDay(block_time), 0, 'UTC') AS day, exchange, sum(amount_usd) AS volume_usd
        FROM trades
        WHERE block_time >= (SELECT max(block_time) FROM trades) - INTERVAL 30 DAY
        GROUP BY day, exchange
        ORDER BY day, exchange
    """)
    volume_figure, _axes = plt.subplots()
    for (_exchange,), _rows in volume_by_day.group_by("exchange", maintain_order=True):
        _axes.plot(_rows["day"].to_list(), _rows["volume_usd"].to_list(), marker="o", label=_exchange)
    _axes.set_title("Volume per exchange and day, US dollars")
    _axes.legend()
    volume_figure.autofmt_xdate()
    volume_figure
    return volume_by_day, volume_figure


@app.cell
def price(ask, plt):
    most_traded = ask("SELECT chain, token, symbol FROM tokens ORDER BY volume_24h_usd DESC NULLS LAST LIMIT 1").row(
        0, named=True
    )
    price_by_hour = ask(
        """
        SELECT toDateTime64(hour, 0, 'UTC') AS hour, price_close_usd, liquidity_usd
        FROM prices_hourly
        WHERE chain = {chain:String} AND token = {token:String}
        ORDER BY hour
        """,
        chain=most_traded["chain"],
        token=most_traded["token"],
    )
    price_figure, _axes = plt.subplots()
    _axes.plot(price_by_hour["hour"].to_list(), price_by_hour["price_close_usd"].to_list(), label="price")
    _axes.set_title(f"{most_traded['symbol']} on {most_traded['chain']}, US dollars")
    _liquidity = _axes.twinx()
    _liquidity.fill_between(
        price_by_hour["hour"].to_list(), price_by_hour["liquidity_usd"].fill_null(0).to_list(), alpha=0.2
    )
    _liquidity.set_ylabel("liquidity")
    price_figure.autofmt_xdate()
    price_figure
    return most_traded, price_by_hour, price_figure


@app.cell
def holders(ask, most_traded, plt):
    largest_holders = ask(
        """
        SELECT wallet, balance
        FROM balances
        WHERE chain = {chain:String} AND token = {token:String}
        ORDER BY balance DESC
        LIMIT 10
        """,
        chain=most_traded["chain"],
        token=most_traded["token"],
    )
    holders_figure, _axes = plt.subplots()
    _axes.barh([_wallet[:10] for _wallet in largest_holders["wallet"]], largest_holders["balance"].to_list())
    _axes.invert_yaxis()
    _axes.set_title(f"The ten largest holders of {most_traded['symbol']}")
    holders_figure.tight_layout()
    holders_figure
    return holders_figure, largest_holders


if __name__ == "__main__":
    app.run()
