/** The texts of every page, of the sign-in and of the library, in German. */
import { library } from './library/de.ts'

export const de = {
  'app.name': 'Stenobox',
  'app.skip': 'Zum Inhalt springen',
  'app.menu': 'Hauptmenü',
  'app.library': 'Bibliothek',
  'app.settings': 'Einstellungen',
  'app.administration': 'Verwaltung',
  'app.signOut': 'Abmelden',
  'app.loading': 'Wird geladen …',
  'app.retry': 'Erneut versuchen',
  'app.cancel': 'Abbrechen',
  'app.close': 'Schließen',
  'app.save': 'Speichern',
  'app.delete': 'Löschen',
  'app.undo': 'Rückgängig',
  'app.notFound': 'Diese Seite gibt es nicht.',
  'app.broken': 'Auf dieser Seite ist etwas schiefgegangen.',
  'app.offline': 'Stenobox antwortet nicht. Neuer Versuch …',
  'error.unreachable': 'Stenobox antwortet nicht. Prüfen Sie, ob es läuft.',
  'error.unexpected': 'Diese Seite versteht die Antwort von Stenobox nicht (Status {status}). Laden Sie die Seite neu.',
  'notice.saved': 'Gespeichert',

  'ui.copy': 'Kopieren',
  'ui.copied': 'Kopiert',
  'ui.copyRefused': 'Der Browser erlaubt das Kopieren nicht. Markieren Sie den Text und kopieren Sie ihn selbst.',
  'ui.more': 'Mehr anzeigen',
  'ui.used': '{used}, ohne Limit',
  'ui.usedOf': '{used} von {limit}',
  'role.owner': 'Benutzer',
  'role.administrator': 'Administrator',

  ...library
}
