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
    <title>Evidentiary Audit Service API</title>
    <link rel="icon" href="/docs/api/favicon-32x32.png">
    <link rel="stylesheet" href="/docs/api/swagger-ui.css">
  </head>
  <body>
    <p id="back"><a href="/docs">Documentation</a></p>
    <div id="api"></div>
    <script src="/docs/api/swagger-ui-bundle.js"></script>
    <script src="/docs/api/start.js"></script>
  </body>
</html>
`;

export const API_DESCRIPTION_PATH = '/v1/openapi.json';

// validatorUrl: the default sends the description to a public checker. A key typed in is forgotten with the page.
const START = `window.ui = SwaggerUIBundle({
  url: '${API_DESCRIPTION_PATH}',
  dom_id: '#api',
  deepLinking: true,
  validatorUrl: null,
  persistAuthorization: false,
  tryItOutEnabled: false,
  docExpansion: 'none',
  defaultModelsExpandDepth: 0,
});
`;

/** The API description as a page to read and try: Swagger UI, offline, beside the documentation. */
export const API_DOCS_PAGE: StaticPage = {
  path: '/docs/api',
  html: HTML,
  files: {
    'swagger-ui.css': packaged('swagger-ui.css', 'text/css; charset=utf-8'),
    'swagger-ui-bundle.js': packaged('swagger-ui-bundle.js', 'text/javascript; charset=utf-8'),
    'favicon-32x32.png': packaged('favicon-32x32.png', 'image/png'),
    'start.js': { mediaType: 'text/javascript; charset=utf-8', content: { text: START } },
  },
};
