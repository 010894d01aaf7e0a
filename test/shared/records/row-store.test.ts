import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { Database } from '../../../shared/db/database.js';
import type { LedgerEntryEffect } from '../../../shared/outbox/pending-effect.js';
import { createIndexes, declareCollection } from '../../../shared/records/collections.js';
import { changeRow } from '../../../shared/records/conflicts.js';
import { RowStore } from '../../../shared/records/row-store.js';
import { startTestServer, type TestServer } from '../../support/database.js';

interface Note {
  readonly note_id: string;
  readonly text: string;
  readonly revision: number;
  readonly created_at: Date;
}

const NOTES = declareCollection('notes', [{ text: 1 }, { unique: true }]);
const effect = (id: string) => ({ id, kind: 'ledger-entry' }) as LedgerEntryEffect;
const note = (note_id: string, text: string): Note => ({ note_id, text, revision: 1, created_at: new Date(0) });

let server: TestServer;
let database: Database;
let relayed: string[];
let committed: Note[];
let rows: RowStore<Note>;

beforeAll(async () => {
  server = await startTestServer();
  database = await server.connect('row_store');
  await createIndexes(database.db, [NOTES]);
});
afterAll(() => server.stop());

beforeEach(async () => {
  await database.db.collection(NOTES.name).deleteMany({});
  relayed = [];
  committed = [];
  const outbox = {
    relay: async (collection: string, id: string, pending: readonly { readonly id: string }[]) => {
      relayed.push(...pending.map((each) => `${collection}/${id}/${each.id}`));
    },
  };
  const options = { collection: NOTES, id: 'note_id', committed: (row: Note) => void committed.push(row) } as const;
  rows = new RowStore<Note>({ db: database.db, outbox }, options);
});

describe('RowStore', () => {
  it('reports and relays each commit once, and nothing that was not committed', async () => {
    expect(await rows.insert(note('a', 'one'), [effect('e1')])).toBe(true);
    expect(await rows.insert(note('a', 'two'), [effect('e2')])).toBe(false);
    const moved = [{ _id: 'a', revision: 2 }];
    expect(await rows.update(moved, { $set: { text: 'three' } }, [effect('e3')])).toBeNull();
    const changed = await rows.update([{ _id: 'a', revision: 1 }], { $set: { text: 'four' } }, [effect('e4')]);
    expect(changed).toEqual(note('a', 'four'));
    expect(committed).toEqual([note('a', 'one'), note('a', 'four')]);
    expect(relayed).toEqual(['notes/a/e1', 'notes/a/e4']);
  });

  it('leaves later effects to the sweep', async () => {
    await rows.insert(note('a', 'one'), []);
    await rows.update([{ _id: 'a' }], { $set: { text: 'two' } }, [effect('now')], [effect('later')]);
    expect(relayed).toEqual(['notes/a/now']);
    const stored = await rows.documents.findOne({ _id: 'a' });
    expect(stored?.['pending']).toEqual([effect('now'), effect('later')]);
  });

  it('names the unique key that is taken', async () => {
    await rows.insert(note('a', 'one'), []);
    expect(await rows.insertDocument(rows.documentOf(note('b', 'one'), []))).toMatchObject({ fields: ['text'] });
    await rows.insert(note('b', 'two'), []);
    expect(await rows.updateUnique([{ _id: 'b' }], { $set: { text: 'one' } }, [])).toBe('taken');
  });
});

describe('changeRow', () => {
  it('reads again when the row moved, and stops when nothing changes', async () => {
    const reads = [note('a', 'one'), note('a', 'two'), note('a', 'three')];
    const seen: string[] = [];
    const read = async () => reads.shift() ?? null;
    const changed = await changeRow('note', read, (current) => {
      seen.push(current.text);
      return current.text === 'two' ? current : Promise.resolve(null);
    });
    expect(changed.text).toBe('two');
    expect(seen).toEqual(['one', 'two']);
  });

  it('rejects a row that does not exist, and one that keeps moving', async () => {
    await expect(
      changeRow(
        'note',
        async () => null,
        () => note('a', 'one'),
      ),
    ).rejects.toMatchObject({ code: 'NOT_FOUND' });
    const moving = changeRow(
      'note',
      async () => note('a', 'one'),
      async () => null,
    );
    await expect(moving).rejects.toMatchObject({ code: 'CONFLICT' });
  });
});
