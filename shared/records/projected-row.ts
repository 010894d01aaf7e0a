import { BSON, type Collection, type Filter, type UpdateFilter, type WithoutId } from 'mongodb';
import { DURABLE } from '../db/connection-options.js';
import { duplicateKeyOf } from '../db/duplicate-key.js';
import type { FactPlace } from '../facts/fact.js';
import type { TenantId } from '../ids/tenant.js';
import { isJsonObject, type JsonObject } from '../json/strict-json.js';

// Rows that are written from facts.

/** A row that names the fact which it projects. */
export interface ProjectedRow {
  readonly _id: string;
  readonly tenant_id: TenantId;
  readonly fact: FactPlace;
}

/**
 * Writes a row unless the stored one projects a later fact. Facts of one subject share a chain, so that their places are
 * in order.
 */
export async function writeBehind<Row extends ProjectedRow>(rows: Collection<Row>, row: Row): Promise<void> {
  const { _id, ...members } = row;
  const behind = { _id, tenant_id: row.tenant_id, 'fact.seq': { $lt: row.fact.seq } };
  try {
    // The driver's types of a filter and a replacement do not accept a generic row.
    const filter = behind as unknown as Filter<Row>;
    await rows.replaceOne(filter, members as unknown as WithoutId<Row>, { upsert: true, writeConcern: DURABLE });
  } catch (error) {
    // The stored row is of this fact or a later one.
    if (!duplicateKeyOf(error)) throw error;
  }
}

/**
 * Writes the row of a fact that adopts it. A stored row without a fact gets the place alone and keeps its members: readers
 * compare them with the fact.
 */
export async function writeAdopted<Row extends ProjectedRow>(rows: Collection<Row>, row: Row): Promise<void> {
  const { _id, tenant_id, fact } = row;
  // The driver's types of a filter and an update do not accept a generic row.
  const unnamed = { _id, tenant_id, fact: { $exists: false } } as unknown as Filter<Row>;
  await rows.updateOne(unnamed, { $set: { fact } } as unknown as UpdateFilter<Row>, { writeConcern: DURABLE });
  await writeBehind(rows, row);
}

/** A row as JSON: times and bytes in MongoDB's Extended JSON. */
export function packed(row: object): JsonObject {
  const json: unknown = BSON.EJSON.serialize(row, { relaxed: true });
  if (!isJsonObject(json)) throw new TypeError('the row of a fact is no object');
  return json;
}

/** The row that `packed` made JSON of. */
export const unpacked = (row: JsonObject): unknown =>
  withBuffers(BSON.EJSON.deserialize({ ...row }, { relaxed: true }));

/** Bytes as the driver reads them from a row. */
function withBuffers(value: unknown): unknown {
  if (value instanceof BSON.Binary) return Buffer.from(value.value());
  if (Array.isArray(value)) return value.map(withBuffers);
  if (typeof value !== 'object' || value === null || Object.getPrototypeOf(value) !== Object.prototype) return value;
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, withBuffers(member)]));
}
