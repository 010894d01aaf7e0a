import type { ItemOutcome, RefusedItem, TransactionItem } from '../adapter.js';
import { type Placed, placeFault, type SegmentFault, segmentsInError, transactionErrors } from './acknowledge-codes.js';

/** Faults told of one transaction: more say nothing that a sender's system would still act on. */
const faultsOfOne = 50;
/** IK502 to IK506. */
const errorsLimit = 5;

/** What an AK2 loop says of one transaction. */
export interface TransactionAnswer {
  setId: string;
  control: string;
  implementation: string;
  faults: SegmentFault[];
  status: 'A' | 'E' | 'R';
  errors: string[];
}

/** Gathers what is wrong with one transaction while its items come. */
export class TransactionFaults {
  private faults: SegmentFault[] = [];
  private errors = new Set<string>();
  private taken = 0;
  private lost = 0;
  private readonly limit: number;

  /** `limit`: how many faults may still be told. */
  constructor(limit: number) {
    this.limit = Math.min(limit, faultsOfOne);
  }

  /** A warning, a refusal or an exception within the transaction. */
  add(placed: Placed): void {
    const error = Object.hasOwn(transactionErrors, placed.code) ? transactionErrors[placed.code] : undefined;
    this.errors.add(error ?? segmentsInError);
    if (error !== undefined) return;
    const fault = placeFault(placed);
    if (fault === null || this.faults.length >= this.limit) return;
    const isTold = this.faults.some(
      (told) => told.position === fault.position && told.element === fault.element && told.code === fault.code,
    );
    if (!isTold) this.faults.push(fault);
  }

  event(placed: Placed, outcome: ItemOutcome | undefined): void {
    if (outcome?.status !== 'REJECTED') {
      this.taken += 1;
      return;
    }
    this.lost += 1;
    this.add(placed);
  }

  refused(item: RefusedItem): void {
    this.lost += 1;
    this.add(item);
  }

  /** Rejected where nothing was taken of what it held or of a cut one, accepted with errors where something is amiss (IK501). */
  finish(item: TransactionItem): TransactionAnswer {
    for (const warning of item.warnings) this.add(warning);
    const { set_id: setId = item.transaction, implementation = '' } = item.header ?? {};
    const nothing = this.taken === 0 && (this.lost > 0 || !item.complete);
    return {
      setId,
      control: item.controlNumbers['transaction'] ?? '',
      implementation,
      faults: this.faults.sort((a, b) => a.position - b.position || a.element - b.element),
      status: nothing ? 'R' : this.errors.size > 0 ? 'E' : 'A',
      errors: [...this.errors].slice(0, errorsLimit),
    };
  }
}
