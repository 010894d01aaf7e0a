import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import type { StaticFile, StaticPage } from './static-page.js';

const packageFolder = dirname(createRequire(import.meta.url).resolve('swagger-ui-dist/package.json'));

const packaged = (name: string, mediaType: string): StaticFile => ({
  mediaType,
  content: { path: join(packageFolder, name) },
});

const HTML = `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <title>Try the Evidentiary Audit Service API</title>
    <link rel="icon" href="/docs/try/favicon-32x32.png">
    <link rel="stylesheet" href="/docs/try/swagger-ui.css">
  </head>
  <body>
    <p id="back"><a href="/docs/api">API reference</a></p>
    <div id="api"></div>
    <script src="/docs/try/swagger-ui-bundle.js"></script>
    <script type="module" src="/docs/try/start.js"></script>
  </body>
</html>
`;

export const API_DESCRIPTION_PATH = '/v1/openapi.json';

// Swagger UI needs seconds for the whole description, so it gets the operation that the address names, and the schemas and
// answers that the operation refers to. validatorUrl: the default sends the description to a public checker. A key typed
// in is forgotten with the page.
const START = `const operationId = /^#\\/[^/]+\\/(\\w+)$/.exec(location.hash)?.[1];
const answer = await fetch('${API_DESCRIPTION_PATH}');
const description = await answer.json();
window.ui = SwaggerUIBundle({
  spec: operationId === undefined ? description : partOf(description),
  dom_id: '#api',
  deepLinking: true,
  validatorUrl: null,
  persistAuthorization: false,
  tryItOutEnabled: operationId !== undefined,
  docExpansion: 'none',
  defaultModelsExpandDepth: operationId === undefined ? 0 : -1,
});
addEventListener('hashchange', () => location.reload());

function partOf(whole) {
  const { components, paths, tags, webhooks, ...rest } = whole;
  const found = Object.entries(paths).flatMap(([path, item]) =>
    Object.entries(item)
      .filter(([, operation]) => operation.operationId === operationId)
      .map(([method, operation]) => [path, { [method]: operation }]),
  );
  if (found.length === 0) return whole;
  const kept = { schemas: {}, responses: {}, securitySchemes: components.securitySchemes };
  keep(found, components, kept);
  return { ...rest, paths: Object.fromEntries(found), components: kept };
}

function keep(value, components, kept) {
  if (value === null || typeof value !== 'object') return;
  const [, kind, name] = /^#\\/components\\/(\\w+)\\/(.+)$/.exec(value.$ref ?? '') ?? [];
  if (name !== undefined && kept[kind][name] === undefined) {
    kept[kind][name] = components[kind][name];
    keep(kept[kind][name], components, kept);
  }
  for (const child of Object.values(value)) keep(child, components, kept);
}
`;

/** Sends requests from the browser: Swagger UI for one operation, offline. The API reference links to it. */
export const TRY_PAGE: StaticPage = {
  path: '/docs/try',
  html: HTML,
  files: {
    'swagger-ui.css': packaged('swagger-ui.css', 'text/css; charset=utf-8'),
    'swagger-ui-bundle.js': packaged('swagger-ui-bundle.js', 'text/javascript; charset=utf-8'),
    'favicon-32x32.png': packaged('favicon-32x32.png', 'image/png'),
    'start.js': { mediaType: 'text/javascript; charset=utf-8', content: { text: START } },
  },
};
