# One image for API and worker; the database is its own (see docker-compose.yml).
FROM python:3.11-slim AS build
WORKDIR /src
COPY pyproject.toml README.md LICENSE ./
COPY graph_schema graph_schema
COPY matrix matrix
RUN python -m venv /opt/matrix && /opt/matrix/bin/pip install --no-cache-dir .

FROM python:3.11-slim
RUN useradd --create-home --uid 10001 matrix && mkdir /data && chown matrix /data
COPY --from=build /opt/matrix /opt/matrix
ENV PATH=/opt/matrix/bin:$PATH MATRIX_DATA_DIR=/data MATRIX_HOST=0.0.0.0 PYTHONUNBUFFERED=1
WORKDIR /home/matrix
USER matrix
VOLUME /data
EXPOSE 8080
CMD ["matrix", "serve"]
