import type { AdapterWarning, Part, Position } from '../format-adapter.js';
import { type Refusal, warningAt } from './entries.js';
import { type Fields, textAt } from './json/objects.js';
import { JsonSplitter } from './json/splitter.js';
import type { Lost, SplitterLimits, Unit } from './json/splitter-state.js';
import { type EntryName, RESOURCE_TYPES, ReferenceIndex, senderIn } from './map/references.js';
import { SubmissionReader } from './submission.js';

/** The services that an authorization request in the same Bundle asks for. */
export const REQUESTED: ReadonlySet<string> = new Set(['ServiceRequest', 'MedicationRequest']);

/** One entry in memory: a resource that may yield an event, or the reason why it yields none. */
export interface HeldEntry {
  readonly resource: Fields;
  readonly fullUrl: string;
  /** HTTP method of its request; '' if it has none. */
  readonly method: string;
  readonly refusal: Refusal | null;
  /** The Bundle around it inside Parameters. */
  readonly within?: Fields | undefined;
  readonly inexact: readonly number[];
  readonly part: Part | null;
  readonly position: Position;
  readonly entryNumber: number;
  readonly sizeBytes: number;
}

/**
 * Holds the entries of a Bundle, or of Parameters, until their references can be resolved. A Bundle within the limit is mapped at its end;
 * the oldest entries of a longer one are released while it streams in.
 */
export class BundleHold {
  readonly index = new ReferenceIndex();
  readonly submission = new SubmissionReader();
  readonly start: number;
  /** The Bundle without its entries: at first the part before them, at the end all of it. */
  about: Fields | null;
  entryCount = 0;
  /** Da Vinci PAS: an authorization request or answer with its related resources. */
  isAuthorization = false;
  accepted = 0;
  refused = 0;
  /** Resources that yield no event, by type. */
  readonly withoutEvent = new Map<string, number>();
  readonly #entries: HeldEntry[] = [];
  #first = 0;
  #heldBytes = 0;
  readonly #limitBytes: number;

  constructor(start: number, about: Fields | null, limitBytes: number) {
    this.start = start;
    this.about = about;
    this.#limitBytes = limitBytes;
  }

  get type(): string {
    return textAt(this.about, 'type');
  }

  get isParameters(): boolean {
    return this.about !== null && Object.hasOwn(this.about, 'parameter');
  }

  /** `Bundle/searchset`, `Parameters`, or the type of another resource with such a list. */
  get transaction(): string {
    const type = textAt(this.about, 'resourceType');
    return type === 'Bundle' || !RESOURCE_TYPES.has(type) ? `Bundle/${this.type || 'unknown'}` : type;
  }

  get overflows(): boolean {
    return this.#heldBytes > this.#limitBytes;
  }

  get anyRefused(): boolean {
    return this.refused > 0 || this.#entries.some(({ refusal }) => refusal !== null);
  }

  hold(entry: HeldEntry): void {
    this.#entries.push(entry);
    this.#heldBytes += entry.sizeBytes;
  }

  countWithoutEvent(type: string): void {
    this.withoutEvent.set(type, (this.withoutEvent.get(type) ?? 0) + 1);
  }

  /** Removes and returns the oldest entry. */
  release(): HeldEntry | undefined {
    const entry = this.#entries[this.#first];
    if (entry === undefined) return undefined;
    this.#first += 1;
    this.#heldBytes -= entry.sizeBytes;
    if (this.#first > 1_024) {
      this.#entries.splice(0, this.#first);
      this.#first = 0;
    }
    return entry;
  }
}

/** The FHIRPath of an entry. */
const entryPath = (entryNumber: number, isParameters: boolean): string =>
  `${isParameters ? 'Parameters.parameter' : 'Bundle.entry'}[${entryNumber - 1}]`;

/** The members of a Bundle that its entries need. */
export function aboutBundle(bundle: Fields, outer: Fields | null): Fields {
  const meta = senderIn(bundle) === '' ? outer?.['meta'] : bundle['meta'];
  return { type: bundle['type'], id: bundle['id'], identifier: bundle['identifier'], meta };
}

export const entryName = (
  { fullUrl, method, within }: Pick<HeldEntry, 'fullUrl' | 'method' | 'within'>,
  bundle: BundleHold,
): EntryName => ({ fullUrl, method, bundleType: within === undefined ? bundle.type : textAt(within, 'type') });

/** Says that nothing came of a Bundle, of Parameters or of another resource with a list. */
export function withoutEvents(bundle: BundleHold, position: Position): AdapterWarning {
  const { transaction } = bundle;
  if (!transaction.startsWith('Bundle/'))
    return warningAt(position, 'NO_EVENT', `${transaction} yields no event`, transaction);
  const types = [...bundle.withoutEvent.keys()];
  const found = types.length === 0 ? '' : `: ${types.join(', ')}`;
  return warningAt(position, 'BUNDLE_WITHOUT_EVENTS', `no entry of the Bundle yielded an event${found}`, 'Bundle');
}

/** The FHIRPath of a fault in an entry. */
export function placeOf({ isParameters }: BundleHold, entryNumber: number, { expression }: Refusal): string {
  const path = entryPath(entryNumber, isParameters);
  if (expression === undefined || expression.startsWith('Bundle')) return path;
  return `${path}.resource.${expression}`;
}

/** Splits the lists inside one entry, which is held whole. `start` is the offset of its bytes in the body. */
export function splitLists(
  { bytes, start, lists }: { readonly bytes: Buffer; readonly start: number; readonly lists: readonly string[] },
  limits: SplitterLimits,
  sink: { take(inner: Unit): void; lost(lost: Lost): void },
): void {
  const unit = (inner: Unit): void => {
    if (inner.kind === 'entry') sink.take(inner);
  };
  const around = { bundleBegin: () => undefined, bundleEnd: () => undefined };
  const splitter = new JsonSplitter({ ...around, unit, lost: (lost) => sink.lost(lost) }, limits, start, lists);
  splitter.push(bytes);
  splitter.finish();
}

/** The reason to reject every entry of a Bundle; null if there is none. */
export function refusalOfBundle(bundle: BundleHold): Refusal | null {
  const type = textAt(bundle.about, 'resourceType');
  const hasBoth = bundle.isParameters && Object.hasOwn(bundle.about ?? {}, 'entry');
  if (!hasBoth && (type === '' || type === (bundle.isParameters ? 'Parameters' : 'Bundle'))) return null;
  const message = 'a resource that is not a Bundle has entries with resources';
  return { code: 'NOT_A_BUNDLE', message, expression: 'resourceType', broken: true };
}
