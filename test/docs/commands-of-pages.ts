import { filledIn, type ShellBlock } from './shell-blocks.js';

/** How a test runs the commands of one page on the service of the README. */
interface PageRun {
  readonly page: string;
  /** Makes what the reader has by then, such as a file. */
  readonly before?: string;
  /** What the reader puts in for the words of the page. */
  readonly put?: Readonly<Record<string, string>>;
  /** A command that serves until it is stopped: it serves once its output has this text. */
  readonly serves?: string;
}

/** Finds the last value of such a form in the output of the shell; the form matches no command that the shell prints. */
const shown = (form: string, which: 'head' | 'tail' = 'tail'): string => `$(grep -oE '${form}' "$OUT" | ${which} -n 1)`;

/** In the order of the runs, after the README: each page finds its service, a sealed bundle and the keys of its tenant. */
export const PAGE_RUNS: readonly PageRun[] = [
  { page: 'docs/conventions.md' },
  { page: 'docs/search.md' },
  { page: 'docs/webhooks.md' },
  { page: 'docs/ediscovery.md' },
  {
    page: 'docs/vault.md',
    before: "printf '%%PDF-1.4\\n%%%%EOF\\n' > denial.pdf",
    put: { 'evt_…': `'"${shown('evt_[0-9A-Z]{26}', 'head')}"'` },
  },
  {
    page: 'docs/bundles.md',
    put: {
      'SIGNING_KEY_ID=…':
        'SIGNING_KEY_ID=$(jq -er \'[.keys[] | select(.purpose == "BUNDLE")][0].thumbprint\' keys.json)',
      'curl -s -OJ': `TOKEN=${shown('ebl_[A-Za-z0-9_-]{30,}')}\ncurl -s -OJ`,
    },
  },
  { page: 'docs/verifying.md', before: "unzip -qo bundle.zip 'verify/*'", put: { THUMBPRINT: '$SIGNING_KEY_ID' } },
  {
    page: 'docs/backup.md',
    put: {
      'backup -- DIR': 'backup -- "$TMPDIR/backup"',
      'npm run restore -- DIR [--force]': 'SERVICE_DATA_DIR="$TMPDIR/restored" npm run restore -- "$TMPDIR/backup"',
      // The copy of the signer's folder, which the page asks for.
      'npm run check-data':
        'cp -r "$TMPDIR/data-signer" "$TMPDIR/restored-signer"\nSERVICE_DATA_DIR="$TMPDIR/restored" npm run check-data',
    },
  },
  {
    page: 'docs/checkpoints.md',
    before: 'curl -s $URL/v1/ledger/checkpoints/latest -H "X-Api-Key: $KEY" | jq -er .verifier_key > logs.txt',
    put: { '/var/lib/witness': '"$TMPDIR/witness"', '0.0.0.0': '127.0.0.1', '8090': '0' },
    serves: 'verifier key: witness.example/w1+',
  },
  {
    page: 'embedded-mongo/README.md',
    put: {
      'DIR [--port N | --no-tcp] [--host ADDRESS] [--tls-cert FILE --tls-key FILE]': '"$TMPDIR/mongo" --no-tcp',
      '\n    [--socket PATH] [--test-commands] [--permissive-indexes]': '',
    },
    serves: '.sock',
  },
];

/** Marks of blocks that this suite does not run, and the reason. */
export const NOT_RUN: Readonly<Record<string, string>> = {
  setup: 'the suite runs on an installed and built repository',
  packs: 'test/client and test/testing-kit pack and install the packages',
  'verify.sh': 'a program for a receiver: test/admin/webhooks/snippets.test.ts runs it',
  'needs-authority': 'needs a time-stamp authority that answers on the internet',
  'needs-browser': 'needs Chromium, and writes the pictures of a page',
  'needs-incarnation': 'the tutorial key-compromise.md runs it',
  'needs-old-keys': 'test/signer/service.test.ts runs it on keys of an earlier version',
};

/** @returns the script of a page. @throws Error if the page no longer has words for which the reader puts something in */
export function scriptOf({ page, before = '', put = {}, serves }: PageRun, blocks: readonly ShellBlock[]): string {
  let text = blocks
    .filter(({ mark }) => mark === '')
    .map((block) => block.text)
    .join('\n');
  for (const [words, given] of Object.entries(put)) {
    if (!text.includes(words)) throw new Error(`${page} no longer says "${words}"`);
    text = text.replaceAll(words, () => given);
  }
  return [before, serves === undefined ? filledIn(text) : untilServing(text, serves)].join('\n');
}

/** Polls the output of the command; ends with the command if that ends. */
const untilServing = (command: string, text: string): string => `
(${command}
) > served.log 2>&1 &
SERVING=$!
until grep -qF '${text}' served.log; do kill -0 $SERVING || { cat served.log; exit 1; }; sleep 0.2; done
cat served.log
kill $SERVING`;
