import { pino } from 'pino';
import type { Clock } from '../../shared/clock/clock.js';
import type { Checkpoints } from '../../shared/contracts/checkpoints.js';
import type { Custody, CustodyEntry } from '../../shared/contracts/custody.js';
import type { ExceptionDesk, ExceptionKind, OutsideException } from '../../shared/contracts/exceptions.js';
import type { PlatformEvents, PlatformMessage } from '../../shared/contracts/platform-events.js';
import type { SigningKeys } from '../../shared/contracts/signing-keys.js';
import type { SystemEntry, SystemLedger } from '../../shared/contracts/system-ledger.js';
import type { Randomness } from '../../shared/ids/ids.js';
import type { Logger } from '../../shared/telemetry/logger.js';
import { seeded } from './random.js';

/** A clock that moves only on request. */
export class ManualClock implements Clock {
  #epochMs: number;
  #monotonicMs = 1_000;

  constructor(iso = '2026-03-02T14:11:10.004Z') {
    this.#epochMs = Date.parse(iso);
  }

  nowMs(): number {
    return this.#epochMs;
  }

  monotonicMs(): number {
    return this.#monotonicMs;
  }

  advance(ms: number): void {
    this.#epochMs += ms;
    this.#monotonicMs += ms;
  }
}

/** Bytes that are the same in every run of a test. */
export function seededRandomness(seed: number): Randomness {
  const random = seeded(seed);
  return {
    fill(target) {
      for (let i = 0; i < target.length; i++) target[i] = Math.floor(random() * 256);
      return target;
    },
  };
}

/** A logger, and the lines that it wrote. */
export function recordingLogger(): { readonly logger: Logger; readonly lines: string[] } {
  const lines: string[] = [];
  return { logger: pino({ level: 'debug', base: null }, { write: (line: string) => lines.push(line) }), lines };
}

/** A ledger of the service's own entries in memory: an entry that is there already changes nothing; it can be made to fail. */
export class RecordingSystemLedger implements SystemLedger {
  readonly entries: (SystemEntry & { readonly tenant_id: string })[] = [];
  calls = 0;
  failure: Error | undefined;

  async append(tenantId: string, entries: readonly SystemEntry[]): Promise<void> {
    this.calls += 1;
    if (this.failure) throw this.failure;
    for (const entry of entries) {
      if (this.entries.some((known) => known.source_record_id === entry.source_record_id)) continue;
      this.entries.push({ ...entry, tenant_id: tenantId });
    }
  }

  /** Types of the entries of one tenant, in order. */
  typesOf(tenantId: string): string[] {
    return this.entries.filter((entry) => entry.tenant_id === tenantId).map((entry) => entry.event_type);
  }
}

/** Exceptions in memory, by subject; it can be made to fail. */
export class RecordingDesk implements ExceptionDesk {
  readonly opened: (OutsideException & { readonly tenantId: string })[] = [];
  readonly resolved: {
    readonly tenantId: string;
    readonly kind: ExceptionKind;
    readonly subject: unknown;
    readonly note: string;
  }[] = [];
  failure: Error | undefined;

  async resolve(tenantId: string, kind: ExceptionKind, subject: OutsideException['subject'], note: string) {
    if (this.failure) throw this.failure;
    this.resolved.push({ tenantId, kind, subject, note });
  }

  async open(tenantId: string, exception: OutsideException): Promise<void> {
    if (this.failure) throw this.failure;
    this.opened.push({ ...exception, tenantId });
  }

  /** It keeps no identifiers: nothing is known by one. */
  async has(): Promise<boolean> {
    return false;
  }
}

/** Custody in memory; it can be made to fail. */
export class RecordingCustody implements Custody {
  readonly entries: (CustodyEntry & { readonly tenantId: string })[] = [];
  failure: Error | undefined;

  async record(tenantId: string, entries: readonly CustodyEntry[]): Promise<void> {
    if (this.failure) throw this.failure;
    for (const entry of entries) this.entries.push({ ...entry, tenantId });
  }
}

/** Platform events in memory: one that is there already changes nothing; it can be made to fail. */
export class RecordingPlatformEvents implements PlatformEvents {
  readonly messages: (PlatformMessage & { readonly tenantId: string })[] = [];
  failure: Error | undefined;

  async publish(tenantId: string, messages: readonly PlatformMessage[]): Promise<void> {
    if (this.failure) throw this.failure;
    for (const message of messages) {
      if (this.messages.some(({ message_id }) => message_id === message.message_id)) continue;
      this.messages.push({ ...message, tenantId });
    }
  }

  /** Kinds announced to one tenant, in order. */
  typesOf(tenantId: string): string[] {
    return this.messages.filter((message) => message.tenantId === tenantId).map(({ type }) => type);
  }
}

const noKeys = async (): Promise<never> => {
  throw new Error('this test signs nothing');
};

/** For code that requires checkpoints and uses none. */
export const NO_CHECKPOINTS: Checkpoints = { force: noKeys };

/** For code that requires signing keys and uses none. */
export const NO_SIGNING_KEYS: SigningKeys = {
  activeKey: noKeys,
  sign: noKeys,
  lastSigned: noKeys,
  publicKey: noKeys,
};
