import { Schema } from 'mongoose';

/** One row a code and edition. */
export const CODE_COLLECTION = 'code_table_rows';
/** One row a system: which edition is read. */
export const CODE_TABLE_COLLECTION = 'code_tables';

/** `_id` is `SYSTEM/EDITION/CODE`: tables are the deployment's, not a tenant's, and every look-up is by this key. */
export const codeRowSchema = new Schema(
  { _id: { type: String, required: true } },
  { collection: CODE_COLLECTION, versionKey: false, autoIndex: false, strict: false },
);

export const codeTableSchema = new Schema(
  { _id: { type: String, required: true } },
  { collection: CODE_TABLE_COLLECTION, versionKey: false, autoIndex: false, strict: false },
);
