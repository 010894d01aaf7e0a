import type { PublicSigningKey } from '../../../shared/contracts/signing-keys.js';
import { sound } from '../../../shared/records/sound-rows.js';
import type { PartFindings, VerifiedTenant } from './verify-state.js';

/** A signature: when a row says that it was made, and the incarnation that the signed text names, where it names one. */
interface Signed {
  readonly at: Date;
  readonly incarnation: number | null;
}

/** What the newest signed incarnation replaces. */
interface Replacing {
  readonly incarnation: number;
  readonly declaredMs: number;
}

/**
 * Judges signatures under keys that were revoked when they were made. Such a signature is a break, until an incarnation
 * that was declared since is signed: its tree contains everything that the signature covered (docs/signer.md "After a
 * compromise").
 */
export class RevokedSignatures {
  readonly #replacing: Replacing | null;
  readonly #findings: PartFindings;
  #replaced = 0;

  private constructor(replacing: Replacing | null, findings: PartFindings) {
    this.#replacing = replacing;
    this.#findings = findings;
  }

  static async of({ tree }: Pick<VerifiedTenant, 'tree'>, findings: PartFindings): Promise<RevokedSignatures> {
    // A damaged row is reported where the rows are compared.
    const declared = await sound(() => tree.latestIncarnation());
    const latest = await sound(() => tree.latestCheckpoint());
    // Only the signer can confirm a declaration: anyone who writes to the database can insert the row.
    const isSigned = latest?.incarnation === declared?.incarnation;
    if (!declared || !isSigned) return new RevokedSignatures(null, findings);
    const { incarnation, declared_at } = declared;
    return new RevokedSignatures({ incarnation, declaredMs: declared_at.getTime() }, findings);
  }

  /** @returns whether a signature is a break. */
  isBroken({ revocation }: Pick<PublicSigningKey, 'revocation'>, signed: Signed): boolean {
    if (revocation === null || Date.parse(revocation.effective_at) > signed.at.getTime()) return false;
    if (!this.#isReplaced(signed)) return true;
    this.#replaced++;
    return false;
  }

  /** A time in a row can be edited; the incarnation that a note names is signed. */
  #isReplaced({ at, incarnation }: Signed): boolean {
    if (this.#replacing === null) return false;
    if (incarnation !== null) return incarnation < this.#replacing.incarnation;
    return at.getTime() < this.#replacing.declaredMs;
  }

  /** Lists the replaced signatures. */
  finish(): void {
    if (this.#replaced === 0) return;
    this.#findings.notChecked.push({
      what: `signatures under keys that were revoked: ${this.#replaced}`,
      why: 'An incarnation that was declared since stands for what they covered.',
    });
  }
}
