/** Every text of the page, in German. */
import type { Catalogue } from './index.tsx'
import { admin } from './admin/de.ts'
import { library } from './library/de.ts'
import { settings } from './settings/de.ts'
import { transcript } from './transcript/de.ts'

export const de: Catalogue = {
  'app.name': 'Stenobox',
  'app.skip': 'Zum Inhalt springen',
  'app.menu': 'Hauptmenü',
  'app.library': 'Bibliothek',
  'app.settings': 'Einstellungen',
  'app.administration': 'Verwaltung',
  'app.signOut': 'Abmelden',
  'app.loading': 'Wird geladen …',
  'app.retry': 'Noch einmal versuchen',
  'app.cancel': 'Abbrechen',
  'app.close': 'Schließen',
  'app.save': 'Speichern',
  'app.delete': 'Löschen',
  'app.undo': 'Rückgängig',
  'app.notFound': 'Diese Seite gibt es nicht.',
  'app.broken': 'Dieser Teil der Seite ist ausgefallen.',
  'app.offline': 'Die Appliance antwortet nicht. Neuer Versuch …',
  'error.unreachable': 'Die Appliance antwortet nicht. Prüfen Sie, ob sie läuft.',
  'error.unexpected': 'Die Appliance hat etwas geantwortet, das diese Seite nicht versteht (Status {status}).',
  'notice.saved': 'Gespeichert',

  ...library,
  ...settings,
  ...transcript,
  ...admin
}
