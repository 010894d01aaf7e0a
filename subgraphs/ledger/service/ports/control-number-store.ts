import type { ControlLevel, NumberState } from '../../domain/control-number.js';

/** Whose numbers they are: each sender counts on its own for each receiver. */
export interface NumberStream {
  readonly format: string;
  readonly level: ControlLevel;
  readonly source_system: string;
  readonly sender: string;
  readonly receiver: string;
}

export interface StandingNumbers {
  readonly state: NumberState;
  readonly revision: number;
}

/** The control numbers of one tenant's senders. */
export interface TenantControlNumbers {
  find(stream: NumberStream): Promise<StandingNumbers | null>;
  /** False when the stream is no longer at this revision; null: it must not be there yet. */
  save(stream: NumberStream, state: NumberState, revision: number | null): Promise<boolean>;
}

export type ControlNumberStore = (tenantId: string) => TenantControlNumbers;
