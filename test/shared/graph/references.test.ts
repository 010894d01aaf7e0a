import { describe, expect, it } from '@jest/globals';
import type { RequestContext } from '../../../shared/auth/context.js';
import { problem } from '../../../shared/errors/problem.js';
import { referencesTo } from '../../../shared/graph/edges/references.js';
import { contextWith } from '../../gateway/remote-kit.js';

const [ONE, TWO, THEIRS] = ['1', '2', '3'].map((n) => `mat_01JQ000000000000000000000${n}`);

/** References over the matters ONE and TWO, with the identifiers of each read. */
function references() {
  const reads: (readonly string[])[] = [];
  const resolve = referencesTo('matter_id', 'matter', async (context: RequestContext, ids) => {
    reads.push(ids);
    if (!context.principal.scopes.has('matters:read')) throw problem('FORBIDDEN');
    return ids.filter((id) => id === ONE || id === TWO).map((matter_id) => ({ matter_id }));
  });
  return { resolve, reads };
}

describe('referencesTo', () => {
  it('resolves the references of one request by one read, in their order, and null for an unknown record', async () => {
    const { resolve, reads } = references();
    const context = contextWith('matters:read');
    const found = await Promise.all([TWO, ONE, THEIRS, TWO].map((matter_id) => resolve({ matter_id }, context)));
    expect(found).toEqual([{ matter_id: TWO }, { matter_id: ONE }, null, { matter_id: TWO }]);
    expect(reads).toEqual([[TWO, ONE, THEIRS]]);
  });

  it('shares no read between two requests', async () => {
    const { resolve, reads } = references();
    await Promise.all([1, 2].map(() => resolve({ matter_id: ONE }, contextWith('matters:read'))));
    expect(reads).toEqual([[ONE], [ONE]]);
  });

  it('looks up no text that is no identifier of the kind, and checks the scope all the same', async () => {
    const { resolve, reads } = references();
    expect(await resolve({ matter_id: 'evt_1' }, contextWith('matters:read'))).toBeNull();
    expect(reads).toEqual([[]]);
    await expect(resolve({ matter_id: 'evt_1' }, contextWith('events:read'))).rejects.toMatchObject({
      code: 'FORBIDDEN',
    });
  });
});
