import { announceSeal, type BuildStepDeps } from '../bundles/index.js';
import { type BuildDeps, LeaseLost } from './build-deps.js';

/** A worker that takes over finds the fact of the same manifest. */
export const announcer =
  (deps: BuildStepDeps): BuildDeps['announceSeal'] =>
  async ({ tenantId, bundle }, sealing) => {
    const now = await deps.bundles(tenantId).get(bundle.bundle_id);
    if (now?.status !== 'REQUESTED') throw new LeaseLost('the build was taken over');
    const isSame = now.sealing?.manifest_sha256 === sealing.manifest_sha256;
    const announced = isSame ? now : await announceSeal(deps, now, sealing);
    if (announced?.fact === undefined) throw new LeaseLost('the build was taken over');
    return announced.fact;
  };
