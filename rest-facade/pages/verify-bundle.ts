import type { StaticPage } from './static-page.js';

const HTML = `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <title>Verify an evidence bundle</title>
    <link rel="icon" href="data:,">
    <link rel="stylesheet" href="/verify/page.css">
  </head>
  <body>
    <main id="place">
      <h1>Verify an evidence bundle</h1>
      <p>The file is read in this page and goes nowhere: the page may connect to nothing.</p>
      <p><label>Bundle (or drop it anywhere here) <input id="bundle" type="file" accept=".zip,application/zip"></label></p>
      <fieldset>
        <legend>What you hold beside it</legend>
        <p><label>Thumbprints of keys that you trust <input id="key" size="50" autocomplete="off" spellcheck="false"></label></p>
        <p><label>Published keys, saved from /v1/signing-keys/jwks <input id="keys" type="file"></label></p>
        <p><label>A checkpoint that you kept <input id="checkpoint" type="file"></label></p>
        <p><label>The log's key of checkpoints, name+id+key <input id="checkpoint-key" size="50" autocomplete="off" spellcheck="false"></label></p>
        <p><label>Proof that one checkpoint extends the other <input id="consistency" type="file"></label></p>
        <p><label>Time stamp over signature.sig (who stamped it is for openssl to judge) <input id="timestamp" type="file"></label></p>
      </fieldset>
      <p id="state" role="status" aria-live="polite"></p>
      <div id="report"></div>
      <p>Whoever serves this page could serve another one. For evidence that is disputed use the command of the archive, or one from elsewhere.</p>
    </main>
    <script type="module" src="/verify/page.js"></script>
  </body>
</html>
`;

const STYLE = `body { font: 16px/1.5 system-ui, sans-serif; margin: 0; }
main { max-width: 60rem; min-height: 100vh; margin: 0 auto; padding: 1rem; box-sizing: border-box; }
fieldset { border: 1px solid #999; }
#state { font-weight: bold; padding: .75rem; border-left: .5rem solid transparent; overflow-wrap: anywhere; }
#state:empty { display: none; }
#state.working, #state.usage { border-color: #767676; background: #f2f2f2; }
#state.VALID { border-color: #1a7f37; background: #e6f4ea; }
#state.INTEGRITY_ONLY, #state.VALID_WITH_NOTES { border-color: #9a6700; background: #fff8c5; }
#state.INVALID { border-color: #b3261e; background: #fdecea; }
li { overflow-wrap: anywhere; }
`;

/** Verifies a bundle in the browser, offline. @param script the built page of verifier/ */
export const verifyBundlePage = (script: string): StaticPage => ({
  path: '/verify',
  html: HTML,
  connects: false,
  files: {
    'page.css': { mediaType: 'text/css; charset=utf-8', content: { text: STYLE } },
    'page.js': { mediaType: 'text/javascript; charset=utf-8', content: { path: script } },
  },
});
