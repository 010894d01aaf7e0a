import type {
  AdapterItem,
  AdapterOptions,
  AdapterWarning,
  AttachedDocument,
  EnvelopeDraft,
  ExceptionKind,
  FormatAdapter,
  Part,
  Position,
  RefusedItem,
  WrapperItem,
} from './format-adapter.js';
import { impossibleCodes } from './values/code-forms.js';
import { describeWarning, type WarningPlace } from './values/payload.js';

/** Why a part of the body yields no event. */
export interface Refusal {
  readonly code: string;
  readonly message: string;
  /** The rejected thing: a transaction's type, or `message`, `bytes`, `resource` and similar. */
  readonly item: string;
  readonly exceptionKind?: ExceptionKind;
  readonly segment?: string;
  readonly element?: number;
  /** The transaction or wrapper that strict reading rejects as a whole. */
  readonly whole?: NonNullable<RefusedItem['whole']>;
}

/** How much of a message arrived. docs/formats.md "Wholeness" has the meaning of each member by format. */
export interface Wholeness {
  /** True if a frame or wrapper around the message holds it to its end. */
  readonly framed: boolean;
  /** True if a count agrees with the items that were read; null if none is known when the event is emitted. */
  readonly counted: boolean | null;
  /** True if the message ends with a terminator, a trailer or a further segment. */
  readonly trailer: boolean;
  readonly grade: 'WHOLE' | 'UNFRAMED' | 'CUT';
}

/** One event and the facts of its `payload.raw`. */
export interface EventDraft {
  readonly envelope: EnvelopeDraft;
  readonly part: Part;
  readonly position: Position;
  readonly warnings: AdapterWarning[];
  /** True if the effective time is the time of receipt. */
  readonly received: boolean;
  readonly raw: {
    readonly format: FormatAdapter['format'];
    readonly transaction: string;
    readonly version: string;
    /** Undefined if the format has none here. */
    readonly controlNumbers: Readonly<Record<string, string>> | undefined;
    readonly warningPlace: WarningPlace;
    readonly wholeness: Wholeness;
  };
  /** The exception of an event without a member: why there is none, and the segment that should name it. */
  readonly lacks: { readonly message: string; readonly segment?: string };
  readonly documents?: readonly AttachedDocument[] | undefined;
}

interface MessageEnd {
  readonly count: number;
  readonly complete: boolean;
  readonly declaredCount?: string | null;
}

/** An open wrapper around transactions: an interchange, a group, a file or a batch. */
export class OpenWrapper {
  /** What it holds so far. */
  count = 0;
  readonly header: Record<string, string>;
  readonly position: Position;
  protected readonly level: WrapperItem['level'];
  protected readonly warnings: AdapterWarning[] = [];
  protected declaredCount: string | null = null;
  /** True after its trailer. */
  protected complete = false;

  constructor(level: WrapperItem['level'], header: Record<string, string>, position: Position) {
    this.level = level;
    this.header = header;
    this.position = position;
  }

  item(): WrapperItem {
    const { level, header, position, declaredCount, count, complete, warnings } = this;
    return { kind: 'wrapper', level, header, position, declaredCount, count, complete, warnings };
  }
}

/** The last step of every format: collects items in reading order and counts events and rejected parts. */
export class ItemSink {
  #items: AdapterItem[] = [];
  #nextIndex = 0;

  /** Returns the items added since the last call. */
  drain(): AdapterItem[] {
    const out = this.#items;
    if (out.length > 0) this.#items = [];
    return out;
  }

  push(item: AdapterItem): void {
    this.#items.push(item);
  }

  refuse(refusal: Refusal, position?: Position, part?: Part): void {
    const index = this.#nextIndex++;
    this.push({ kind: 'refused', index, ...refusal, ...(position && { position }), ...(part && { part }) });
  }

  /** Ends one message: the header that its acknowledgement needs, and how many events it gave. */
  endMessage(header: Record<string, string>, position: Position, about: MessageEnd): void {
    this.push({ kind: 'wrapper', level: 'message', header, position, declaredCount: null, ...about, warnings: [] });
  }

  /** Adds an event, and an exception if it names no member: the event is stored, and no member is assumed. */
  event({ envelope, part, position, warnings, received, raw, lacks, documents = [] }: EventDraft): void {
    const index = this.#nextIndex++;
    warnings.push(...impossibleCodes(envelope.payload, position));
    const { format, transaction, version, controlNumbers, warningPlace, wholeness } = raw;
    const { sha256, offset, length, contentSha256 = sha256 } = part;
    const described: Record<string, unknown> = { part_sha256: sha256, content_sha256: contentSha256, offset, length };
    Object.assign(described, { format, transaction, version, wholeness });
    if (controlNumbers !== undefined) described.control_numbers = controlNumbers;
    described.warnings = warnings.map((warning) => describeWarning(warning, warningPlace));
    envelope.payload['raw'] = described;
    const event = {
      kind: 'event',
      index,
      envelope,
      part,
      position,
      warnings,
      duplicateKeyOmitsTime: received,
    } as const;
    this.push(documents.length === 0 ? event : { ...event, documents });
    const unreadable = received ? warnings.find(({ code }) => code === 'DATE_UNREADABLE') : undefined;
    if (unreadable !== undefined) {
      const message = 'no time of the event is readable: the time of receipt is used';
      // Segment and position name one place: a date of the header has no position.
      const { segment } = unreadable.position === undefined ? lacks : unreadable;
      const at = unreadable.position ?? position;
      const about = { exceptionKind: 'PARSE_FAILED', code: 'TIME_UNREADABLE', message, index, part } as const;
      this.push({ kind: 'exception', ...about, position: at, ...(segment !== undefined && { segment }) });
    }
    if (envelope.member_id !== undefined) return;
    const about = { exceptionKind: 'UNKNOWN_MEMBER', code: 'MEMBER_MISSING', index, position, part, ...lacks } as const;
    this.push({ kind: 'exception', ...about });
  }
}

/** Splits, reads and maps one body while it streams in. */
export interface BodyReader {
  push(chunk: Uint8Array): void;
  finish(): void;
  /** Returns the items read since the last call. */
  drain(): AdapterItem[];
}

/** A format's adapter: one reader and one acknowledger a body. */
export function adapterOf(
  format: FormatAdapter['format'],
  open: (options: AdapterOptions) => BodyReader | Promise<BodyReader>,
  acknowledger?: NonNullable<FormatAdapter['acknowledger']>,
): FormatAdapter {
  return {
    format,
    async *read(chunks, options) {
      const reader = await open(options);
      for await (const chunk of chunks) {
        reader.push(chunk);
        for (const item of reader.drain()) yield item;
      }
      reader.finish();
      for (const item of reader.drain()) yield item;
    },
    ...(acknowledger !== undefined && { acknowledger }),
  };
}
