#!/bin/sh
# A command of user-import, `migrate`, or whatever else is to run; without arguments the image's CMD, the service.
case "${1-}" in
  inspect | prove | import | convert | export | status | rollback | rejects | delete | hand-over | hooks | census | completion | help | --help | --version)
    exec node /app/dist/cli.js "$@"
    ;;
  migrate)
    exec user-import-core "$@"
    ;;
esac
exec docker-entrypoint.sh "$@"
