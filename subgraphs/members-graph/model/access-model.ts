import { Schema } from 'mongoose';
import { PENDING_INDEX } from '../../../shared/outbox/outbox.js';

export const CODE_COLLECTION = 'access_codes';
export const SESSION_COLLECTION = 'member_sessions';
export const CODE_LIMIT_COLLECTION = 'access_code_limits';

const ROW = { _id: { type: String, required: true }, tenant_id: { type: String, required: true } } as const;
const optionsOf = (collection: string) => ({ collection, versionKey: false, autoIndex: false, strict: false }) as const;

// What happened stands in the ledger: the rows are for the moment, and go by themselves.
const GOES_BY_ITSELF = { expireAfterSeconds: 0 } as const;

/** Indexes are declared here; rows are read and written by the driver (access-repository.ts). */
export const accessCodeSchema = new Schema(ROW, optionsOf(CODE_COLLECTION));
accessCodeSchema.index({ purge_at: 1 }, GOES_BY_ITSELF);
accessCodeSchema.index(...PENDING_INDEX);

export const memberSessionSchema = new Schema(ROW, optionsOf(SESSION_COLLECTION));
memberSessionSchema.index({ purge_at: 1 }, GOES_BY_ITSELF);
memberSessionSchema.index(...PENDING_INDEX);

export const codeLimitSchema = new Schema({ _id: { type: String, required: true } }, optionsOf(CODE_LIMIT_COLLECTION));
codeLimitSchema.index({ purge_at: 1 }, GOES_BY_ITSELF);
