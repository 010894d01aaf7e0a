import { apiKeyStatusAt } from '../../../subgraphs/admin/access/domain/api-key-status.js';
import type { ApiKeys, KeyUsed, StoredApiKey } from '../../../subgraphs/admin/access/ports.js';

/** Keys in memory, with the unique values of the stored ones; look-ups are counted and can be held up or made to fail. */
export class FakeKeys implements ApiKeys {
  readonly rows: StoredApiKey[] = [];
  readonly uses: ReadonlyMap<string, KeyUsed>[] = [];
  lookUps = 0;
  gate: Promise<void> = Promise.resolve();
  failure: Error | undefined;

  async insert(key: StoredApiKey): Promise<boolean> {
    await this.gate;
    const taken = this.rows.some(
      (row) =>
        row.key_hmac === key.key_hmac ||
        (key.lookup_id !== null && row.lookup_id === key.lookup_id) ||
        (key.bootstrap_round !== null && row.bootstrap_round === key.bootstrap_round),
    );
    if (!taken) this.rows.push(key);
    return !taken;
  }

  insertSuccessor(): never {
    throw new Error('not part of this test');
  }

  within(): never {
    throw new Error('not part of this test');
  }

  byLookupId(lookupId: string): Promise<StoredApiKey | undefined> {
    return this.#find((row) => row.lookup_id === lookupId);
  }

  byHmac(keyHmac: string): Promise<StoredApiKey | undefined> {
    return this.#find((row) => row.key_hmac === keyHmac);
  }

  async hasOtherLiveOperatorKey(keyId: string | null, nowMs: number): Promise<boolean> {
    await this.gate;
    return this.rows.some(
      (row) => row.key_id !== keyId && row.scopes.includes('*') && apiKeyStatusAt(row, nowMs) === 'ACTIVE',
    );
  }

  async lastBootstrapRound(): Promise<number> {
    await this.gate;
    return Math.max(0, ...this.rows.map((row) => row.bootstrap_round ?? 0));
  }

  async isRoleHeld(): Promise<boolean> {
    return false;
  }

  async markUsed(uses: ReadonlyMap<string, KeyUsed>): Promise<void> {
    await this.gate;
    if (this.failure) throw this.failure;
    this.uses.push(uses);
  }

  /** Puts other values into the row of a key, as another process would. */
  change(keyId: string, over: Partial<StoredApiKey>): void {
    const at = this.rows.findIndex((row) => row.key_id === keyId);
    const row = this.rows[at];
    if (!row) throw new Error(`no key ${keyId}`);
    this.rows[at] = { ...row, ...over };
  }

  async #find(matching: (row: StoredApiKey) => boolean): Promise<StoredApiKey | undefined> {
    this.lookUps += 1;
    const found = this.rows.find(matching);
    await this.gate;
    if (this.failure) throw this.failure;
    return found;
  }
}

/** For keys without a bound person and without roles. */
export const NO_ROLES = { scopesOf: async () => [] };
export const NO_ACTORS = {
  within: (): never => {
    throw new Error('not part of this test');
  },
};
