from tests.fixtures.surfpool import surfpool
