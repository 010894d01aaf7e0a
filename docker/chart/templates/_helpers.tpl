{{- define "eas.image" -}}
{{- if hasPrefix "@" .Values.image.tag -}}
{{ .Values.image.repository }}{{ .Values.image.tag }}
{{- else -}}
{{ .Values.image.repository }}:{{ .Values.image.tag | default .Chart.AppVersion }}
{{- end -}}
{{- end -}}

{{/* Labels of everything; with the role they select the pods of a process. Takes (dict "root" $ "role" ROLE). */}}
{{- define "eas.selector" -}}
app.kubernetes.io/name: {{ .root.Chart.Name }}
app.kubernetes.io/instance: {{ .root.Release.Name }}
app.kubernetes.io/component: {{ .role }}
{{- end -}}

{{- define "eas.labels" -}}
{{ include "eas.selector" . }}
app.kubernetes.io/version: {{ .root.Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .root.Release.Service }}
helm.sh/chart: {{ .root.Chart.Name }}-{{ .root.Chart.Version }}
{{- end -}}

{{- define "eas.name" -}}
{{ .root.Release.Name }}-{{ .role }}
{{- end -}}

{{/* The address of each subgraph. */}}
{{- define "eas.subgraphUrls" -}}
{{- $release := .Release.Name -}}
{{- $urls := list -}}
{{- range list "admin" "ledger" "vault" "bundles" "advocacy" "members-graph" -}}
{{- $urls = append $urls (printf "%s=http://%s-%s:8080" . $release .) -}}
{{- end -}}
{{ join "," $urls }}
{{- end -}}

{{/* Settings of every process but the signer. Takes (dict "root" $ "mode" MODE). */}}
{{- define "eas.env" -}}
{{- with .mode }}
- { name: SERVICE_MODE, value: {{ . }} }
{{- end }}
- { name: SERVICE_ORIGIN, value: {{ .root.Values.origin | quote }} }
- { name: SERVICE_SUBGRAPH_URLS, value: {{ include "eas.subgraphUrls" .root | quote }} }
- { name: MONGODB_URI_FILE, value: /secrets/mongodb_uri }
- { name: MONGODB_RETENTION_URI_FILE, value: /secrets/mongodb_retention_uri }
- { name: MONGODB_ROTATOR_URI_FILE, value: /secrets/mongodb_rotator_uri }
- { name: SERVICE_MASTER_KEY_FILE, value: /secrets/master_key }
- { name: SERVICE_INTERNAL_SECRET_FILE, value: /secrets/internal_secret }
{{- range $name, $value := .root.Values.settings }}
- { name: {{ $name }}, value: {{ $value | quote }} }
{{- end }}
{{- end -}}

{{- define "eas.containerSecurity" -}}
allowPrivilegeEscalation: false
readOnlyRootFilesystem: true
runAsNonRoot: true
capabilities: { drop: [ALL] }
seccompProfile: { type: RuntimeDefault }
{{- end -}}

{{- define "eas.podSecurity" -}}
runAsUser: 1000
runAsGroup: 1000
fsGroup: 1000
runAsNonRoot: true
seccompProfile: { type: RuntimeDefault }
{{- end -}}

{{/* Port and probes of a process that serves HTTP. Takes (dict "port" PORT). */}}
{{- define "eas.http" -}}
ports:
  - { name: http-{{ .port }}, containerPort: {{ .port }} }
startupProbe:
  httpGet: { path: /v1/healthz, port: {{ .port }} }
  periodSeconds: 2
  failureThreshold: 60
livenessProbe:
  httpGet: { path: /v1/healthz, port: {{ .port }} }
  periodSeconds: 10
  timeoutSeconds: 5
  failureThreshold: 6
readinessProbe:
  httpGet: { path: /v1/healthz/ready, port: {{ .port }} }
  periodSeconds: 5
  timeoutSeconds: 5
{{- end -}}

{{/* Everything that a process may read or write. */}}
{{- define "eas.mounts" -}}
- { name: secrets, mountPath: /secrets, readOnly: true }
- { name: tmp, mountPath: /tmp }
- { name: data, mountPath: /data }
{{- end -}}

{{- define "eas.volumes" -}}
- name: secrets
  secret: { secretName: {{ .Values.secretName }}, defaultMode: 0440 }
- { name: tmp, emptyDir: {} }
- { name: data, emptyDir: {} }
{{- end -}}
