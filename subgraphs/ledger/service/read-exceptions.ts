import { isIdOf } from '../../../shared/ids/ids.js';
import type { TenantId } from '../../../shared/ids/tenant.js';
import { type Page, pageOf } from '../../../shared/pagination/cursor.js';
import type { ExceptionQuery, ExceptionRow, ExceptionStore } from './ports/exception-store.js';

/** An exception of the tenant, or null: another tenant's does not exist here. */
export const readException = async (
  exceptions: ExceptionStore,
  tenantId: TenantId,
  exceptionId: string,
): Promise<ExceptionRow | null> =>
  isIdOf('exception', exceptionId) ? exceptions.forTenant(tenantId).get(exceptionId) : null;

/** By (opened, id), newest first unless told. @throws VALIDATION_ERROR for a cursor that is none */
export async function listExceptions(
  exceptions: ExceptionStore,
  tenantId: TenantId,
  query: ExceptionQuery,
): Promise<Page<ExceptionRow>> {
  const rows = await exceptions.forTenant(tenantId).list(query);
  return pageOf(rows, query.limit, (row) => ({ atMs: row.created_at.getTime(), id: row.exception_id }));
}
