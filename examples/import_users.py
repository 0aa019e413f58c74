#!/usr/bin/env python3
"""Imports a file of users over the bulk stream, and signs one of them in. Needs Python 3.8 and no packages.

    export USER_IMPORT_API_KEY=…     # a key with the rights import and signin
    python3 import_users.py users.ndjson ada@example.com < password.txt

The file has one user a line, as `user-import convert` writes them (docs/bulk-import.md). Run it again after an
interruption: it continues, because the id of the import is made of the file.
"""
import hashlib
import http.client
import json
import os
import sys
import threading
from urllib.parse import urlsplit

SERVICE = urlsplit(os.environ.get("USER_IMPORT_URL", "http://localhost:3567"))
HEADERS = {"api-key": os.environ["USER_IMPORT_API_KEY"]}


def connect():
    kind = http.client.HTTPSConnection if SERVICE.scheme == "https" else http.client.HTTPConnection
    return kind(SERVICE.hostname, SERVICE.port, timeout=300)


def import_file(path):
    """Returns the summary of the import, and prints the lines that failed."""
    digest = hashlib.sha256()
    with open(path, "rb") as file:
        for block in iter(lambda: file.read(65536), b""):
            digest.update(block)
        file.seek(0)
        connection = connect()
        connection.putrequest("POST", f"/bulk-import/stream?importId=python-{digest.hexdigest()[:20]}")
        size = str(os.path.getsize(path))
        for name, value in {**HEADERS, "content-type": "application/x-ndjson", "content-length": size}.items():
            connection.putheader(name, value)
        connection.endheaders()
        # The service answers while it reads, so sending and reading must not wait for each other.
        sender = threading.Thread(target=send, args=(connection, file))
        sender.start()
        response = connection.getresponse()
        if response.status != 200:
            sys.exit(f"{response.status} {response.read().decode()}")
        last = {}
        for line in response:
            last = json.loads(line)
            if last.get("status") == "FAILED":
                print(f"line {last['line']}: {last['code']}", file=sys.stderr)
        sender.join()
    if "summary" not in last:
        sys.exit("The import was interrupted: run this again.")
    return last["summary"]


def send(connection, file):
    try:
        connection.send(file)
    except OSError:
        pass  # The service has refused the request, and its answer says why.


def sign_in(email, password):
    connection = connect()
    body = json.dumps({"email": email, "password": password})
    connection.request("POST", "/recipe/signin", body, {**HEADERS, "content-type": "application/json"})
    return json.load(connection.getresponse())["status"]


if __name__ == "__main__":
    summary = import_file(sys.argv[1])
    print(f"{summary['lines']} lines: {summary['created']} created, {summary['failed']} failed")
    print("sign-in:", sign_in(sys.argv[2], sys.stdin.readline().rstrip("\n")))
