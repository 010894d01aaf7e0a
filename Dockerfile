# syntax=docker/dockerfile:1
# Every role of the service; SERVICE_MODE chooses. Runs as a user without rights, on a read-only root, and writes to
# /data alone (the embedded database and kept secrets of the role `all`; other roles keep nothing there).
FROM node:24-bookworm-slim AS build
WORKDIR /app
# .npmrc holds ignore-scripts: no package runs anything while it is installed.
COPY package.json package-lock.json .npmrc ./
COPY client/package.json ./client/
COPY embedded-mongo/package.json ./embedded-mongo/
COPY testing-kit/package.json ./testing-kit/
RUN npm ci
COPY . .
# The service runs its packages from dist/, so the links to the workspaces have no use in the image.
RUN npm run build && npm prune --omit=dev && rm -rf node_modules/@eas

FROM node:24-bookworm-slim
ENV NODE_ENV=production HOST=0.0.0.0 PORT=8080 SERVICE_DATA_DIR=/data APOLLO_TELEMETRY_DISABLED=true
WORKDIR /app
# The signer runs as another user of the group; its keys are its own, its socket is the group's.
RUN mkdir /data && chown node:node /data && \
  mkdir -m 700 /signer && mkdir -m 750 /signer-socket && chown 1001:node /signer /signer-socket
COPY --from=build /app/package.json ./
COPY --from=build /app/node_modules ./node_modules
COPY --from=build /app/dist ./dist
COPY --from=build /app/gateway/supergraph.graphql ./gateway/supergraph.graphql
COPY --from=build /app/rest-facade/contract.json ./rest-facade/contract.json
COPY --from=build /app/rest-facade/pages/graphiql ./rest-facade/pages/graphiql
COPY --from=build /app/subgraphs/advocacy/corpus/tables ./subgraphs/advocacy/corpus/tables
COPY --from=build /app/docker/healthcheck.mjs ./docker/healthcheck.mjs
USER node
EXPOSE 8080
VOLUME /data
# Exec form, so that SIGTERM reaches the service itself, which then drains (docs/operating.md).
STOPSIGNAL SIGTERM
HEALTHCHECK --interval=10s --timeout=5s --start-period=60s --retries=3 CMD ["node", "docker/healthcheck.mjs"]
# The larger young generation spares a fifth of the garbage collection under load.
CMD ["node", "--enable-source-maps", "--max-semi-space-size=64", "dist/app/main.js"]
