export * from 'evidentiary-audit-service/testing-kit';
