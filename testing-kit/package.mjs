// The package's only module. The kit itself is in the service's package, because it starts the service's own code.
export { startService } from 'evidentiary-audit-service/testing-kit';
