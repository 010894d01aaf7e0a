/**
 * Apollo's gateway probes cloud metadata addresses and posts host metrics unless this switch is set before it is
 * constructed. Nothing of this service may leave the machine unasked, so the switch is set in code, not by operators.
 */
export function forbidGatewayTelemetry(): void {
  process.env['APOLLO_TELEMETRY_DISABLED'] = 'true';
}
