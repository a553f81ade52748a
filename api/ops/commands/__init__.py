"""What the commands of ``regalia`` do; ``api/cli.py`` declares them and imports these only when they run."""
