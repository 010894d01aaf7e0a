import type { BsonDoc } from '../bson/value.js';

/**
 * One command as it arrived. Arrays of documents that the command names as sequences (`documents`, `updates`,
 * `deletes`, `ops`, `nsInfo`) are raw slices, whether they came in a section of their own or inside the body.
 */
export interface CommandRequest {
  readonly name: string;
  readonly db: string;
  readonly body: BsonDoc;
  readonly sequences: ReadonlyMap<string, readonly Buffer[]>;
}
