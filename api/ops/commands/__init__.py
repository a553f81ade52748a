"""What the commands of ``regalia`` do; ``api/cli`` declares them and imports these only when they run."""
