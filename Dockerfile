# The appliance as an image; docs/install.md says how to build and run it. buildah, podman, and docker with BuildKit build it, also without
# a registry: any Debian with Node 24 and npm works as base.
ARG BASE=docker.io/library/node:24-bookworm-slim

# ---------------------------------------------------------------- ffmpeg: only what decodes sound
FROM ${BASE} AS ffmpeg
COPY scripts/image/ffmpeg.sh /tmp/
RUN sh /tmp/ffmpeg.sh /opt/ffmpeg

# ---------------------------------------------------------------- build: packages, the speech library, the program
FROM ${BASE} AS build
# off, cuda or vulkan
ARG GPU=off
WORKDIR /app
COPY scripts/image/packages.sh scripts/image/
RUN sh scripts/image/packages.sh build "${GPU}"
COPY package.json package-lock.json ./
RUN npm ci --ignore-scripts --no-audit --no-fund
COPY scripts/build-native.mjs scripts/
COPY src/native src/native
# Portable: one library per instruction set, chosen when it is loaded.
RUN node scripts/build-native.mjs --mode portable --gpu "${GPU}"
COPY --from=ffmpeg /opt/ffmpeg/ /usr/local/
COPY LICENSE NOTICE CHANGELOG.md README.md tsconfig.json ./
COPY models/manifest.json models/
COPY models/starter models/starter
COPY docs docs
COPY scripts scripts
COPY src src
RUN STENOBOX_BUILD=portable STENOBOX_GPU="${GPU}" STENOBOX_MODEL=none node scripts/setup.mjs --quiet \
 && node scripts/image/prune.mjs "${GPU}" \
 && ffmpeg="$(cat /usr/local/share/doc/ffmpeg/version)" \
    node -p 'JSON.stringify({ node: process.versions.node, ffmpeg: process.env.ffmpeg })' > build/image.json

# ---------------------------------------------------------------- models: empty, or the model that a first start would fetch
FROM build AS models
# none or default
ARG MODELS=none
RUN --mount=type=bind,source=models,target=/context sh scripts/image/models.sh "${MODELS}" /context /models

# ---------------------------------------------------------------- the image
FROM ${BASE}
ARG GPU=off
ARG VERSION=0.1.0
LABEL org.opencontainers.image.title="Stenobox" \
      org.opencontainers.image.description="Transcription appliance: recordings in, true timed words out, entirely on your own box" \
      org.opencontainers.image.licenses="Apache-2.0" \
      org.opencontainers.image.version="${VERSION}"
COPY scripts/image/packages.sh /tmp/
RUN sh /tmp/packages.sh run "${GPU}" && rm /tmp/packages.sh \
 && echo 'stenobox:x:10001:10001::/data:/usr/sbin/nologin' >> /etc/passwd && echo 'stenobox:x:10001:' >> /etc/group \
 && mkdir /data /models && chown 10001:10001 /data /models \
 && ln -s /app/scripts/stenobox.mjs /usr/local/bin/stenobox
COPY --from=ffmpeg /opt/ffmpeg/ /usr/local/
COPY --from=build /app/package.json /app/LICENSE /app/NOTICE /app/CHANGELOG.md /app/README.md /app/
COPY --from=build /app/node_modules /app/node_modules
COPY --from=build /app/build/native /app/build/native
COPY --from=build /app/build/yt-dlp /app/build/yt-dlp
COPY --from=build /app/build/page /app/build/page
COPY --from=build /app/build/image.json /app/build/
COPY --from=build /app/models /app/models
COPY --from=build /app/docs /app/docs
COPY --from=build /app/scripts /app/scripts
COPY --from=build /app/dist /app/dist
COPY --from=models --chown=10001:10001 /models /models

ENV NODE_ENV=production HOME=/data STENOBOX_HOST=0.0.0.0 STENOBOX_DATA_DIR=/data STENOBOX_MODELS_DIR=/models \
    NVIDIA_DRIVER_CAPABILITIES=compute,utility
WORKDIR /data
USER 10001:10001
EXPOSE 8080
VOLUME /data
HEALTHCHECK --interval=30s --timeout=5s --start-period=60s CMD ["node", "/app/scripts/image/health.mjs"]
# tini ends programs whose parents have died and passes signals on.
ENTRYPOINT ["/usr/bin/tini", "--", "node", "/app/scripts/image/start.mjs"]
CMD ["serve"]
