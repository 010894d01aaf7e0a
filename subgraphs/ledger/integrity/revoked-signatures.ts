import type { PublicSigningKey } from '../../../shared/contracts/signing-keys.js';
import { asProblem } from '../../../shared/errors/unexpected.js';
import type { PartFindings, VerifiedTenant } from './verify-state.js';

/**
 * Judges signatures under keys that were revoked when they were made. Such a signature is a break, until an incarnation
 * that was declared since is signed: its tree contains everything that the signature covered (docs/signer.md "After a
 * compromise").
 */
export class RevokedSignatures {
  readonly #replacedBeforeMs: number;
  readonly #findings: PartFindings;
  #replaced = 0;

  private constructor(replacedBeforeMs: number, findings: PartFindings) {
    this.#replacedBeforeMs = replacedBeforeMs;
    this.#findings = findings;
  }

  static async of({ tree }: Pick<VerifiedTenant, 'tree'>, findings: PartFindings): Promise<RevokedSignatures> {
    try {
      const [declared, latest] = await Promise.all([tree.latestIncarnation(), tree.latestCheckpoint()]);
      // Only the signer can confirm a declaration: anyone who writes to the database can insert the row.
      const isSigned = declared !== null && latest?.incarnation === declared.incarnation;
      return new RevokedSignatures(isSigned ? declared.declared_at.getTime() : Number.NEGATIVE_INFINITY, findings);
    } catch (error) {
      // A damaged row is reported where the rows are compared.
      if (asProblem(error).code !== 'INTEGRITY_FAILURE') throw error;
      return new RevokedSignatures(Number.NEGATIVE_INFINITY, findings);
    }
  }

  /** @returns whether a signature of this instant is a break. */
  isBroken({ revocation }: Pick<PublicSigningKey, 'revocation'>, signedAt: Date): boolean {
    if (revocation === null || Date.parse(revocation.effective_at) > signedAt.getTime()) return false;
    if (signedAt.getTime() >= this.#replacedBeforeMs) return true;
    this.#replaced++;
    return false;
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
