import type { VerifyOptions } from '../checks/context.js';
import type { Source } from '../platform.js';
import type { VerificationReport } from '../report.js';
import { completenessLines, MEANINGS } from '../report-text.js';
import { UsageFault } from '../trust/key-set.js';
import { verifyBundle } from '../verify-bundle.js';
import { browserPlatform } from './browser-platform.js';
import { element, made, type PageElement, type PageFile } from './dom.js';

// The page /verify: runs the commands' engine over a file that never leaves the browser. The page's policy forbids every
// connection.

let latest = 0;

const FIELDS = ['bundle', 'key', 'keys', 'checkpoint', 'checkpoint-key', 'consistency', 'timestamp'];

/** Reads the commands' options, except certificates of time-stamp authorities, which need openssl. */
async function optionsOf(): Promise<VerifyOptions> {
  const words = (id: string): readonly string[] =>
    element(id)
      .value.split(/\s+/)
      .filter((word) => word !== '');
  const fileOf = (id: string): PageFile | undefined => element(id).files?.[0];
  const keys = words('key');
  if (!keys.every((key) => /^[A-Za-z0-9_-]{43}$/.test(key))) throw new UsageFault('a thumbprint is not one of SHA-256');
  const timestamp = fileOf('timestamp');
  const given = {
    keySet: await fileOf('keys')?.text(),
    checkpoint: await fileOf('checkpoint')?.text(),
    consistency: await fileOf('consistency')?.text(),
    timestamp: timestamp && new Uint8Array(await timestamp.slice(0, timestamp.size).arrayBuffer()),
  };
  const present = Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined));
  return { keys, checkpointKeys: words('checkpoint-key'), ...present };
}

/** Wraps the file as a source that reports the read offset. */
const sourceOf = (file: PageFile, tell: (offset: number) => void): Source => ({
  sizeBytes: file.size,
  read: async (offset, length) => {
    tell(offset + length);
    return new Uint8Array(await file.slice(offset, offset + length).arrayBuffer());
  },
});

async function verify(file: PageFile): Promise<void> {
  const mine = ++latest;
  const state = element('state');
  element('report').replaceChildren();
  state.className = 'working';
  const tell = (offset: number): void => {
    if (mine === latest) state.textContent = `Reading ${file.name}: byte ${offset} of ${file.size}`;
  };
  try {
    const report = await verifyBundle(sourceOf(file, tell), browserPlatform, await optionsOf());
    if (mine === latest) show(file, report);
  } catch (fault) {
    if (mine !== latest) return;
    state.className = 'usage';
    state.textContent =
      fault instanceof UsageFault ? `Not understood: ${fault.message}` : 'The file could not be read.';
  }
}

function show(file: PageFile, report: VerificationReport): void {
  const { verdict, bundle, checks, breaks, breaks_not_listed, notes, not_checked } = report;
  const state = element('state');
  state.className = verdict;
  state.textContent = `${verdict}: ${MEANINGS[verdict]}`;
  const facts =
    bundle === null
      ? []
      : Object.entries(bundle).map(
          ([name, value]) => `${name}: ${typeof value === 'object' ? JSON.stringify(value) : value}`,
        );
  const told = breaks.map(({ code, subject, detail }) => `${code} ${subject}: ${detail}`);
  element('report').replaceChildren(
    made('h2', file.name),
    ...list('', facts),
    ...list(
      'Checks',
      checks.map(({ status, title, detail }) => `${status}: ${title}: ${detail}`),
    ),
    ...list('Complete', completenessLines(report)),
    ...list('Breaks', breaks_not_listed > 0 ? [...told, `and ${breaks_not_listed} more`] : told),
    ...list('Notes', notes),
    ...list('Not checked', not_checked),
  );
}

function list(title: string, items: readonly string[]): PageElement[] {
  if (items.length === 0) return [];
  const node = made('ul', '');
  node.append(...items.map((item) => made('li', item)));
  return title === '' ? [node] : [made('h3', title), node];
}

const given = (files: ArrayLike<PageFile> | null | undefined): void => {
  const file = files?.[0];
  if (file !== undefined) void verify(file);
};

const again = (): void => given(element('bundle').files);
for (const id of FIELDS) element(id).addEventListener('change', again);
const place = element('place');
place.addEventListener('dragover', (event) => event.preventDefault());
place.addEventListener('drop', (event) => {
  event.preventDefault();
  given(event.dataTransfer?.files);
});
