# By digest (of the index of all platforms): a tag may be moved. For a newer one: `docker buildx imagetools inspect node:24-bookworm-slim`.
# Another image, such as one of your own registry, is taken with `--build-arg NODE_IMAGE=…`.
ARG NODE_IMAGE=node:24-bookworm-slim@sha256:6f7b03f7c2c8e2e784dcf9295400527b9b1270fd37b7e9a7285cf83b6951452d

FROM ${NODE_IMAGE} AS build
WORKDIR /app
COPY package.json package-lock.json ./
RUN npm ci --ignore-scripts
COPY tsconfig.json tsconfig.build.json ./
COPY src ./src
RUN npm run build -- --sourceMap false --declaration false
COPY migrations ./migrations
COPY bin ./bin
COPY docker/healthcheck.mjs docker/entrypoint.sh ./docker/
# A checkout keeps the umask it was made under, and the user node must be able to read these.
RUN chmod -R go=rX package.json bin migrations docker && chmod 755 bin/* dist/cli.js docker/entrypoint.sh

FROM ${NODE_IMAGE} AS dependencies
WORKDIR /app
COPY package.json package-lock.json ./
# Debian's libcrypt1 is libxcrypt, so that koffi can verify yescrypt. The hash libraries come with prebuilt binaries: the
# build fails where there is none for the platform, not the first sign-in. npm skips an optional dependency that it cannot
# install, and the service needs all the others, so each is loaded. Source maps and type declarations, a third of the files'
# weight, are for development.
RUN npm ci --omit=dev --ignore-scripts \
 && node -e "require('argon2'); require('bcrypt'); require('koffi').load('libcrypt.so.1').func('void *crypt_rn()')" \
 && node --input-type=module -e "import { readFileSync } from 'node:fs'; \
      const { dependencies, optionalDependencies } = JSON.parse(readFileSync('package.json', 'utf8')); \
      for (const name of Object.keys({ ...dependencies, ...optionalDependencies })) await import(name)" \
 && find node_modules -type f \( -name '*.map' -o -name '*.d.ts' -o -name '*.d.[cm]ts' \) -delete

FROM ${NODE_IMAGE}
ARG NODE_IMAGE
# release/build-image.sh adds what only a build knows: revision, created and source.
LABEL org.opencontainers.image.title="user-import-core" \
      org.opencontainers.image.description="Imports users with the password hashes they already have and signs them in with their old passwords" \
      org.opencontainers.image.version="0.2.0" \
      org.opencontainers.image.licenses="Apache-2.0" \
      org.opencontainers.image.base.name="${NODE_IMAGE}"
# PORT is set so that the health check knows it: the environment wins over a config.yaml.
ENV NODE_ENV=production HOST=0.0.0.0 PORT=3567
WORKDIR /app
# All of it belongs to root: the process can change nothing of its own code.
COPY --from=dependencies /app/node_modules ./node_modules
COPY --from=build /app/package.json ./
COPY --from=build /app/bin ./bin
COPY --from=build /app/docker ./docker
COPY --from=build /app/migrations ./migrations
COPY --from=build /app/dist ./dist
# The programs of the npm package, for `docker exec`.
RUN ln -s /app/bin/user-import-core /usr/local/bin/ && ln -s /app/dist/cli.js /usr/local/bin/user-import
USER node
EXPOSE 3567
HEALTHCHECK --interval=5s --timeout=3s --start-period=60s --retries=3 CMD ["node", "docker/healthcheck.mjs"]
# `docker run … user-import-core import users.json` is the command line.
ENTRYPOINT ["/app/docker/entrypoint.sh"]
CMD ["user-import-core"]
