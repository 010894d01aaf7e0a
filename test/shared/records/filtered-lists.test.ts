import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Document } from 'mongodb';
import { repositoryFile } from '../../../app/repository.js';
import { readContract } from '../../../rest-facade/contract.js';
import { makeRoutes } from '../../../rest-facade/routes/index.js';
import { connectDatabase, type Database } from '../../../shared/db/database.js';
import { FactKind } from '../../../shared/facts/fact.js';
import { freshTenant, type Http } from '../../support/http.js';
import { startWholeService, type WholeService } from '../../support/whole-service.js';
import { LISTS, type ListOfRecords, WITHOUT_FACTS, WITHOUT_LISTS, type World } from './lists-of-records.js';

// Someone edits the row of a record so that it falls out of a list with conditions. The list fails: it never gets shorter.

const WINDOW: ReadonlySet<string> = new Set(['cursor', 'limit', 'order', 'purpose', 'tenant_id']);

let service: WholeService;
let database: Database;
beforeAll(async () => {
  service = await startWholeService({ SERVICE_REDACTION_TWO_PEOPLE: 'false' });
  database = await connectDatabase(service.databaseUri);
});
afterAll(async () => {
  await database.close();
  await service.stop();
});

async function worldOf(make: ListOfRecords['make']): Promise<World & { readonly made: Document }> {
  const { tenantId, http } = await freshTenant(service.operator, ['admin']);
  const world = { tenantId, http, operator: service.operator };
  return { ...world, made: await make(world) };
}

const pathOf = (list: ListOfRecords, made: Document, query: string): string =>
  `${list.path.replace('{id}', String(made[list.under ?? '']))}?${query}`;

const idsIn = async (http: Http, path: string, id: string): Promise<readonly string[]> => {
  const { status, json, text } = await http.get(path);
  if (status !== 200) throw new Error(`${path} answered ${status}: ${text}`);
  return json.items.map((item: Document) => item[id]);
};

const contract = await readContract(repositoryFile('rest-facade/contract.json'));
const ROUTES = makeRoutes(contract.document).filter(
  ({ method, query }) => method === 'GET' && query !== undefined && Object.hasOwn(query, 'cursor'),
);

describe('the lists of the service', () => {
  it('are each compared with facts here, or are named as lists without facts', () => {
    const known = [...LISTS.map(({ path }) => path), ...Object.keys(WITHOUT_FACTS)];
    expect(known.toSorted()).toEqual(ROUTES.map(({ path }) => path).toSorted());
  });

  it('cover every kind of facts that has a list', () => {
    const kinds = [...LISTS.map(({ kind }) => kind), ...Object.keys(WITHOUT_LISTS)];
    expect([...new Set(kinds)].toSorted()).toEqual(FactKind.options.toSorted());
  });

  it.each(LISTS)('edit a row for each condition of $path', ({ path, conditions }) => {
    const route = ROUTES.find((one) => one.path === path);
    // The purpose of a reader is no condition; that of a consent is.
    const asked = Object.keys(route?.query ?? {}).filter((name) => !WINDOW.has(name) || name in conditions);
    expect(Object.keys(conditions).toSorted()).toEqual(asked.toSorted());
  });
});

const CASES = LISTS.flatMap((list) =>
  Object.entries(list.conditions).map(([name, condition]) => ({ path: list.path, name, list, condition })),
);

describe('a list with a condition', () => {
  it.each(CASES)('of $path by $name fails when someone edits a row out of it', async ({ list, name, condition }) => {
    const { made, http, tenantId } = await worldOf(condition.make ?? list.make);
    const reader = made['reader'] instanceof Object ? (made['reader'] as Http) : http;
    const path = pathOf(list, made, `${name}=${encodeURIComponent(condition.value(made))}`);
    expect(await idsIn(reader, path, list.id)).toContain(made[list.id]);
    const rows = database.db.collection<{ _id: string }>(list.collection);
    const { matchedCount } = await rows.updateOne(
      { _id: made[list.id], tenant_id: tenantId },
      { $set: condition.edit },
    );
    expect(matchedCount).toBe(1);
    const { status, json } = await reader.get(path);
    expect([status, json.code]).toEqual([500, 'INTEGRITY_FAILURE']);
  });
});
