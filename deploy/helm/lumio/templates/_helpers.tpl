{{- define "lumio.name" -}}
{{- if contains "lumio" .Release.Name }}{{ .Release.Name | trunc 40 | trimSuffix "-" }}{{ else }}{{ printf "%s-lumio" .Release.Name | trunc 40 | trimSuffix "-" }}{{ end -}}
{{- end }}

{{- define "lumio.image" -}}
{{- with .Values.image -}}
{{- if .digest }}{{ .repository }}@{{ .digest }}{{ else }}{{ .repository }}:{{ .tag | default $.Chart.AppVersion }}{{ end -}}
{{- end -}}
{{- end }}

{{/* Labels that select the pods of a component. Argument: dict "root" $ "component" NAME. */}}
{{- define "lumio.selector" -}}
app.kubernetes.io/name: lumio
app.kubernetes.io/instance: {{ .root.Release.Name | quote }}
app.kubernetes.io/component: {{ .component }}
{{- end }}

{{- define "lumio.labels" -}}
{{ include "lumio.selector" . }}
app.kubernetes.io/version: {{ .root.Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .root.Release.Service }}
helm.sh/chart: {{ .root.Chart.Name }}-{{ .root.Chart.Version }}
{{- end }}

{{- define "lumio.systemKeySecret" -}}
{{ .Values.systemKey.existingSecret | default (printf "%s-system-key" (include "lumio.name" .)) }}
{{- end }}

{{/* Values of a daemon, over those that all have in common. Argument: dict "root" $ "daemon" VALUES. */}}
{{- define "lumio.daemon" -}}
{{ toJson (mergeOverwrite (deepCopy .root.Values.daemonDefaults) (deepCopy .daemon)) }}
{{- end }}

{{/*
`true` if a part that needs definitions of an operator is rendered, else nothing. `auto` asks the cluster for them.
Argument: dict "root" $ "enabled" VALUE "api" NAME.
*/}}
{{- define "lumio.enabled" -}}
{{- if eq (toString .enabled) "auto" -}}
{{- if .root.Capabilities.APIVersions.Has .api -}}true{{- end -}}
{{- else if .enabled -}}true{{- end -}}
{{- end }}

{{- define "lumio.keda" -}}
{{- include "lumio.enabled" (dict "root" . "enabled" .Values.keda.enabled "api" "keda.sh/v1alpha1") -}}
{{- end }}

{{- define "lumio.monitoring" -}}
{{- include "lumio.enabled" (dict "root" . "enabled" .Values.monitoring.enabled "api" "monitoring.coreos.com/v1") -}}
{{- end }}

{{/* Variables of every container. Secrets come from the Secret, by envFrom. */}}
{{- define "lumio.env" -}}
- { name: LUMIO_ENV, value: {{ .Values.environment | quote }} }
- { name: LUMIO_PUBLIC_URL, value: {{ .Values.publicUrl | quote }} }
- { name: LUMIO_STORAGE_URL, value: {{ .Values.storage.url | quote }} }
- { name: LUMIO_HTTP_BIND, value: "0.0.0.0:8080" }
- { name: LUMIO_METRICS_BIND, value: "0.0.0.0:9100" }
- { name: LUMIO_WORKER_METRICS_BIND, value: "0.0.0.0:9101" }
- { name: LUMIO_API_URL, value: "http://{{ include "lumio.name" . }}-api:{{ .Values.api.service.port }}" }
- { name: LUMIO_ENGINE_DIR, value: /var/lib/lumio/work/engine }
{{- range $name, $value := .Values.config }}
- { name: {{ $name }}, value: {{ $value | quote }} }
{{- end }}
{{- end }}

{{- define "lumio.envFrom" -}}
- secretRef: { name: {{ .Values.secrets.existingSecret }} }
{{- end }}

{{- define "lumio.podSecurity" -}}
runAsNonRoot: true
# The user `lumio` of the image.
runAsUser: 999
runAsGroup: 999
fsGroup: 999
fsGroupChangePolicy: OnRootMismatch
seccompProfile: { type: RuntimeDefault }
{{- end }}

{{- define "lumio.containerSecurity" -}}
allowPrivilegeEscalation: false
readOnlyRootFilesystem: true
privileged: false
capabilities: { drop: [ALL] }
{{- end }}

{{/* The engine of handlers, in a folder where its machine code can be kept. */}}
{{- define "lumio.engine" -}}
- name: engine
  image: {{ include "lumio.image" . }}
  imagePullPolicy: {{ .Values.image.pullPolicy }}
  command: [sh, -c, "install -d -m 700 /work/engine && cp /var/lib/lumio/engine/engine.wasm /work/engine/"]
  resources:
    requests: { cpu: 10m, memory: 16Mi }
    limits: { cpu: 200m, memory: 64Mi }
  securityContext: {{- include "lumio.containerSecurity" . | nindent 4 }}
  volumeMounts:
    - { name: work, mountPath: /work }
{{- end }}

{{- define "lumio.mounts" -}}
- { name: work, mountPath: /var/lib/lumio/work }
- { name: tmp, mountPath: /tmp }
{{- if .Values.storage.existingClaim }}
- { name: storage, mountPath: /var/lib/lumio/storage }
{{- end }}
{{- end }}

{{- define "lumio.volumes" -}}
- { name: work, emptyDir: { sizeLimit: 512Mi } }
- { name: tmp, emptyDir: { sizeLimit: 1Gi } }
{{- with .Values.storage.existingClaim }}
- name: storage
  persistentVolumeClaim: { claimName: {{ . }} }
{{- end }}
{{- end }}

{{- define "lumio.placement" -}}
{{- with .Values.image.pullSecrets }}
imagePullSecrets:
  {{- range . }}
  - { name: {{ . }} }
  {{- end }}
{{- end }}
{{- with .Values.nodeSelector }}
nodeSelector: {{- toYaml . | nindent 2 }}
{{- end }}
{{- with .Values.tolerations }}
tolerations: {{- toYaml . | nindent 2 }}
{{- end }}
{{- with .Values.priorityClassName }}
priorityClassName: {{ . }}
{{- end }}
{{- end }}

{{/* Spreads the copies of a component over machines. */}}
{{- define "lumio.spread" -}}
topologySpreadConstraints:
  - maxSkew: 1
    topologyKey: kubernetes.io/hostname
    whenUnsatisfiable: ScheduleAnyway
    labelSelector:
      matchLabels: {{- include "lumio.selector" . | nindent 8 }}
{{- end }}
