import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { BSON, type Document, Long } from 'mongodb';
import { startTestServer, type TestServer } from '../test-server.js';

/**
 * The table of error codes: a wrong expression, stage, update or filter a row, with the code and the text that the
 * database gives it. Codes and texts follow MongoDB's, with three rules: the prefix that names the phase ("Executor error
 * during …", "Failed to optimize pipeline") is left out, because it changes from release to release; a repeated value is
 * left out or becomes its type, because errors reach logs; and `differs` gives the reason for any other difference.
 * EMBEDDED_MONGO_PRINT_CODES=1 prints the table.
 */
interface Row {
  readonly area: string;
  readonly name: string;
  readonly code: number;
  readonly text: string;
  /** Why the text is not MongoDB's. */
  readonly differs?: string;
  /** The command, as BSON in base64: its number types matter, and JSON would read operators as types. */
  readonly bson: string;
}

const path = join(dirname(fileURLToPath(import.meta.url)), 'error-codes.json');
const rows = JSON.parse(readFileSync(path, 'utf8')) as Row[];
const DOCUMENT = { n: 5, s: 'x', nul: null, arr: [1, 2], arr2: [3, 4], big: Long.MAX_VALUE, docs: [{ a: 1 }] };
const MIN_ROWS = 630;

let server: TestServer;
let db: ReturnType<TestServer['db']>;
const found: string[] = [];

beforeAll(async () => {
  server = await startTestServer();
  db = server.db();
});
beforeEach(async () => {
  await db.collection<{ _id: number }>('c').replaceOne({ _id: 1 }, DOCUMENT, { upsert: true });
});
afterAll(async () => {
  if (process.env['EMBEDDED_MONGO_PRINT_CODES']) process.stdout.write(`${found.join('\n')}\n`);
  await server.stop();
});

/** The code and text that a command fails with, as a whole or in its first write error. */
async function failureOf(request: Document): Promise<{ code?: number; text?: string }> {
  try {
    const { writeErrors } = await db.command(request);
    return { code: writeErrors?.[0]?.code, text: writeErrors?.[0]?.errmsg };
  } catch (error) {
    const { code, message } = error as { code?: number; message?: string };
    return { ...(code === undefined ? {} : { code }), ...(message === undefined ? {} : { text: message }) };
  }
}

describe('error codes of wrong queries, pipelines and updates', () => {
  it(`covers at least ${MIN_ROWS} mistakes`, () => {
    expect(rows.length).toBeGreaterThan(MIN_ROWS);
    expect(rows.filter(({ text }) => typeof text !== 'string' || text === '')).toEqual([]);
  });

  for (const area of new Set(rows.map((row) => row.area))) {
    it(`gives MongoDB's code and text to each wrong ${area}`, async () => {
      const wrong: string[] = [];
      for (const { name, code, text, differs, bson } of rows.filter((row) => row.area === area)) {
        const failure = await failureOf(BSON.deserialize(Buffer.from(bson, 'base64'), { promoteValues: false }));
        found.push(`| ${area} | ${name} | ${failure.code} | ${failure.text ?? ''} | ${differs ?? ''} |`);
        if (failure.text !== text) wrong.push(`${name}: ${failure.text} instead of ${text}`);
        if (failure.code !== code) wrong.push(`${name}: ${failure.code} instead of ${code} (${failure.text})`);
      }
      expect(wrong).toEqual([]);
    });
  }
});
