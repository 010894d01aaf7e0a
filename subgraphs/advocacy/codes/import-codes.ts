import type { Clock } from '../../../shared/clock/clock.js';
import { type CodeLine, type ReadLine, readerFor, withoutLicensed } from './domain/code-files.js';
import type { CodeFile, CodeImport } from './ports.js';

export interface ImportCodesOptions {
  /** Code system, if the file does not state it. */
  readonly system: string | null;
  /** Name of the edition. */
  readonly edition: string;
  /** True skips unreadable lines; false rejects the whole file. */
  readonly skipBadLines: boolean;
  /** Called with the bytes of the file that were read, and all of them. */
  readonly report?: (readBytes: number, sizeBytes: number) => void;
}

interface BadLine {
  readonly line: number;
  readonly why: string;
}

export interface CodesReport {
  readonly system: string;
  readonly edition: string;
  readonly codes: number;
  readonly passedOver: number;
  readonly badLines: number;
  /** The first bad lines. */
  readonly shown: readonly BadLine[];
  /** UNCHANGED: imported before. REFUSED: bad lines. UNKNOWN: unknown file format. */
  readonly outcome: 'IMPORTED' | 'UNCHANGED' | 'REFUSED' | 'UNKNOWN';
}

const LINES_A_WRITE = 2_000;
const BAD_LINES_SHOWN = 50;

/** Imports a code table; readers switch to it as a whole at the end. */
export async function importCodes(
  { store, clock }: { readonly store: CodeImport; readonly clock: Clock },
  file: CodeFile,
  { system, edition: name, skipBadLines, report: reportRead }: ImportCodesOptions,
): Promise<CodesReport> {
  // The name contains the content hash, so that rows of a corrected file never mix with those of the faulty one.
  const edition = `${name}-${file.sha256.slice(0, 12)}`;
  const reading = new Reading(system);
  const batch: CodeLine[] = [];
  const flush = async (): Promise<void> => {
    if (reading.system !== null && batch.length > 0) await store.insert(reading.system, edition, batch.splice(0));
  };
  for await (const text of file.lines) {
    batch.push(...reading.take(text));
    if (reading.isUnknown) break;
    if (reading.isFirst && (await isCurrent(store, reading.system, edition)))
      return reading.report(edition, 'UNCHANGED');
    if (batch.length < LINES_A_WRITE) continue;
    await flush();
    if (file.progress !== undefined) reportRead?.(...file.progress());
  }
  batch.push(...reading.end());
  if (reading.system === null) return reading.report(edition, 'UNKNOWN');
  if (reading.badLines > 0 && !skipBadLines) return reading.report(edition, 'REFUSED');
  await flush();
  const report = reading.report(edition, 'IMPORTED');
  await store.publish({
    system: reading.system,
    edition,
    codes: report.codes,
    source_sha256: file.sha256,
    imported_at: new Date(clock.nowMs()),
  });
  return report;
}

const isCurrent = async (store: CodeImport, system: string | null, edition: string): Promise<boolean> =>
  system !== null && (await store.current(system))?.edition === edition;

/** The state of reading one file. */
class Reading {
  readonly #system: string | null;
  #found: ReturnType<typeof readerFor> = null;
  #line = 0;
  #codes = new Set<string>();
  #passedOver = 0;
  #shown: BadLine[] = [];
  badLines = 0;

  constructor(system: string | null) {
    this.#system = system;
  }

  get system(): string | null {
    return this.#found?.reader.system ?? null;
  }

  get isUnknown(): boolean {
    return this.#line > 0 && this.#found === null;
  }

  get isFirst(): boolean {
    return this.#line === 1;
  }

  take(text: string): readonly CodeLine[] {
    this.#line += 1;
    if (this.#line === 1) {
      // A byte-order mark is not part of the first name.
      const first = text.replace(/^\uFEFF/, '');
      this.#found = readerFor(first, this.#system);
      return this.#found === null || this.#found.hasHeader ? [] : this.#kept(this.#found.reader.read(first));
    }
    return this.#found === null ? [] : this.#kept(this.#found.reader.read(text));
  }

  end(): readonly CodeLine[] {
    return this.#found === null ? [] : this.#kept(this.#found.reader.end());
  }

  report(edition: string, outcome: CodesReport['outcome']): CodesReport {
    const { badLines } = this;
    const [codes, passedOver, shown] = [this.#codes.size, this.#passedOver, this.#shown];
    return { system: this.system ?? '', edition, codes, passedOver, badLines, shown, outcome };
  }

  #kept(read: ReadLine): readonly CodeLine[] {
    const taken = this.#found === null ? read : withoutLicensed(this.#found.reader, read);
    if (taken.kind === 'passed-over') this.#passedOver += 1;
    if (taken.kind === 'bad') return this.#isBad(taken.why);
    if (taken.kind !== 'code') return [];
    if (this.#codes.has(taken.line.code)) return this.#isBad('repeats a code');
    this.#codes.add(taken.line.code);
    return [taken.line];
  }

  #isBad(why: string): readonly CodeLine[] {
    this.badLines += 1;
    if (this.#shown.length < BAD_LINES_SHOWN) this.#shown.push({ line: this.#line, why });
    return [];
  }
}
