import { type Connection, type Model, Schema } from 'mongoose';
import { duplicateKeyOf } from '../../../shared/db/duplicate-key.js';
import type { DeploymentRecord, Deployments } from '../service/ports.js';

/** One document, one name: the insert that succeeds has decided. */
const DEPLOYMENT_ID = 'deployment';

interface DeploymentDocument extends DeploymentRecord {
  readonly _id: typeof DEPLOYMENT_ID;
}

const DEPLOYMENT_SCHEMA = new Schema<DeploymentDocument>(
  {
    _id: { type: String, required: true },
    origin: { type: String, required: true },
    master_key_check: { type: String, required: true },
    created_at: { type: Date, required: true },
  },
  { collection: 'deployment', versionKey: false, strict: 'throw', strictQuery: 'throw' },
);

type DeploymentModel = Model<DeploymentDocument>;

export const deploymentModel = (connection: Connection): DeploymentModel =>
  (connection.models['Deployment'] as DeploymentModel | undefined) ??
  connection.model<DeploymentDocument>('Deployment', DEPLOYMENT_SCHEMA);

export function deploymentRepository(model: DeploymentModel): Deployments {
  const read = () => model.findById(DEPLOYMENT_ID).lean<DeploymentDocument>().exec();
  return {
    async fix(record) {
      const standing = await read();
      if (standing !== null) return standing;
      try {
        await model.create({ _id: DEPLOYMENT_ID, ...record });
        return record;
      } catch (error) {
        if (!duplicateKeyOf(error)) throw error;
      }
      const winner = await read();
      if (winner === null) throw new Error('the deployment record is taken, and cannot be read');
      return winner;
    },
    async ping() {
      await read();
    },
  };
}
