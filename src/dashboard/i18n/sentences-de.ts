/** What the appliance says to people, in German. */
import { createSay } from './sentences.ts'
import type { Sentences } from './sentences.ts'

export const sentences = {
  // Fields
  'must NOT have fewer than {count} characters': 'Hier sind mindestens {count} Zeichen nötig.',
  'must NOT have more than {count} characters': 'Hier sind höchstens {count} Zeichen möglich.',
  'must match pattern {pattern}': 'Leerzeichen am Anfang oder Ende und unsichtbare Zeichen sind hier nicht möglich.',
  'has no visible characters': 'Hier fehlt ein sichtbares Zeichen.',
  'must be an http or https address of at most {count} characters.':
    'Geben Sie eine http- oder https-Adresse mit höchstens {count} Zeichen ein.',

  // Sign-in and accounts
  'The name or the password is wrong.': 'Der Name oder das Passwort ist falsch.',
  'The current password is wrong.': 'Das aktuelle Passwort ist falsch.',
  'Your session has ended. Sign in again.': 'Ihre Sitzung ist abgelaufen. Melden Sie sich neu an.',
  'Too many wrong passwords. Try again in {count} minute.': 'Zu viele falsche Passwörter. Versuchen Sie es in {count} Minute noch einmal.',
  'Too many wrong passwords. Try again in {count} minutes.':
    'Zu viele falsche Passwörter. Versuchen Sie es in {count} Minuten noch einmal.',
  'Too many passwords are being compared at once. Try again in a few seconds.':
    'Gerade melden sich zu viele Personen an. Versuchen Sie es in einigen Sekunden noch einmal.',
  'Too many people are logging in at once. Try again in a few seconds.':
    'Gerade melden sich zu viele Personen an. Versuchen Sie es in einigen Sekunden noch einmal.',
  'There is an account already. Sign in with it.': 'Es gibt bereits ein Konto. Melden Sie sich damit an.',
  ['This is the last administrator who can sign in. Make another owner who can sign in an administrator first, or ' +
    'use the command "stenobox owners" on the appliance.']:
    'Niemand sonst kann sich als Administrator anmelden. Machen Sie zuerst eine andere Person, die sich anmelden kann, zum ' +
    'Administrator, oder verwenden Sie den Befehl „stenobox owners“ auf dem Gerät.',
  ['This name belongs to somebody who signs in at the identity provider. Choose another name; or, to make that ' +
    'person an administrator, use the command "stenobox owners role" on the appliance.']:
    'Dieser Name gehört jemandem, der sich beim Anbieter anmeldet. Wählen Sie einen anderen Namen. Oder machen Sie diese Person mit ' +
    'dem Befehl „stenobox owners role“ auf dem Gerät zum Administrator.',
  'The token is missing or wrong. The server prints it when it starts.':
    'Das Token fehlt oder ist falsch. Der Server zeigt es beim Start an.',
  'Only administrators may do this. Ask one of them.': 'Das dürfen nur Administratoren. Wenden Sie sich an einen von ihnen.',
  'There is already an owner with this name.': 'Es gibt bereits einen Benutzer mit diesem Namen.',
  'This owner has transcripts. Delete them first.': 'Dieser Benutzer hat Transkripte. Löschen Sie sie zuerst.',
  'This owner has live API keys. Revoke them first.': 'Dieser Benutzer hat gültige API-Schlüssel. Widerrufen Sie sie zuerst.',
  'Some data of this owner is still stored, such as an unfinished upload. Delete it, or wait until it expires.':
    'Von diesem Benutzer sind noch Daten gespeichert, etwa ein unfertiger Upload. Löschen Sie sie oder warten Sie, bis sie verfallen.',

  // Recordings
  'The appliance has as many jobs waiting as it takes. Try again in a minute; parts that were sent are kept.':
    'Die Warteschlange ist voll. Versuchen Sie es in einer Minute noch einmal; bereits Gesendetes bleibt erhalten.',
  'Your jobs have taken your share of the queue; the rest is for other owners. Try again in a minute; parts that were sent are kept.':
    'Ihr Anteil an der Warteschlange ist belegt. Versuchen Sie es in einer Minute noch einmal; bereits Gesendetes bleibt erhalten.',
  'Your open uploads or downloads have taken your share of the free disk; the rest is for other owners. Try again when some are done.':
    'Ihr Anteil am freien Speicherplatz ist belegt. Versuchen Sie es noch einmal, wenn einige Ihrer Übertragungen fertig sind.',
  'The disk of the appliance is nearly full. Nothing was stored; free some space and try again.':
    'Die Festplatte ist fast voll. Es wurde nichts gespeichert. Bitten Sie einen Administrator, Platz zu schaffen.',
  'The disk of the appliance is full. Free some space and try again.':
    'Die Festplatte ist voll. Bitten Sie einen Administrator, Platz zu schaffen.',
  'fileSize: this appliance accepts files up to {count} bytes.': 'Die Datei ist zu groß: Möglich sind höchstens {count} Byte.',
  'The {count} minutes of recordings a month of the plan "{plan}" are used up. The limit resets at {when}.':
    'Die {count} Aufnahmeminuten pro Monat des Tarifs „{plan}“ sind verbraucht. Ab {when} gibt es neue.',
  'The {count} requests a day of the plan "{plan}" are used up. The limit resets at {when}.':
    'Die {count} Anfragen pro Tag des Tarifs „{plan}“ sind verbraucht. Ab {when} gibt es neue.',
  'The recording is no longer stored. Upload it again.': 'Die Aufnahme ist nicht mehr gespeichert. Laden Sie sie noch einmal hoch.',
  'The job cannot be retried any more. Upload the recording again.':
    'Weitere Versuche sind nicht möglich. Laden Sie die Aufnahme noch einmal hoch.',

  // Transcripts
  'There is no such transcription.': 'Diese Transkription gibt es nicht.',
  'There is nothing to undo.': 'Es gibt nichts rückgängig zu machen.',
  'This revision is too old and can no longer be undone.': 'Diese Änderung ist zu alt und lässt sich nicht mehr rückgängig machen.',
  'Later revisions changed the same text. Undo them before revision {number}.':
    'Spätere Änderungen betreffen denselben Text. Machen Sie diese vor der Änderung {number} rückgängig.',
  'two speakers cannot both be called "{name}". Merge them, or choose another name.':
    'Zwei Sprecher können nicht beide „{name}“ heißen. Führen Sie sie zusammen oder wählen Sie einen anderen Namen.',
  'a segment can have at most {count} words': 'Eine Stelle kann höchstens {count} Wörter haben.',
  'This transcription has {count} links. Remove one of them first.':
    'Zu dieser Transkription gibt es {count} Links. Löschen Sie zuerst einen davon.',
  'Too many recordings are being listened to at once. Try again in a few seconds.':
    'Gerade werden zu viele Aufnahmen gleichzeitig abgespielt. Versuchen Sie es in einigen Sekunden noch einmal.',

  // The appliance
  '{name} is in use for {use}. Install another model for that first.':
    '{name} wird noch gebraucht ({use}). Installieren Sie dafür zuerst ein anderes Modell.',
  'Too many models wait already.': 'Es warten bereits zu viele Modelle. Versuchen Sie es später noch einmal.',
  'The appliance is being stopped.': 'Stenobox wird gerade beendet. Versuchen Sie es später noch einmal.',
  'Another program is using the database of the appliance. Try again in a few seconds.':
    'Ein anderes Programm verwendet gerade die Datenbank. Versuchen Sie es in einigen Sekunden noch einmal.',
  'Something went wrong on our side. Try again. If it happens again, the administrator finds the details in the log under this requestId.':
    'In Stenobox ist etwas schiefgegangen. Versuchen Sie es noch einmal. Ein Administrator findet Einzelheiten im Protokoll des Servers.',

  // Models
  'this is not an archive of models: it does not begin with {name}':
    'Das ist kein Archiv mit Modellen von Stenobox: {name} fehlt am Anfang',
  'the archive\'s {name} is damaged, or from another version of Stenobox':
    '{name} im Archiv ist beschädigt oder stammt aus einer anderen Version von Stenobox',
  'the archive\'s {name} is damaged': '{name} im Archiv ist beschädigt',
  'the archive is empty': 'Das Archiv ist leer',
  'the archive is damaged or cut short': 'Das Archiv ist beschädigt oder unvollständig',
  'the archive ends before {path}': 'Das Archiv ist unvollständig: {path} fehlt',
  '{path} does not match its checksum in the archive: the archive is damaged':
    'Die Prüfsumme von {path} stimmt nicht: Das Archiv ist beschädigt',
  'the checksum of {name} in the archive differs from the one in the manifest here':
    'Die Prüfsumme von {name} im Archiv ist eine andere als in der Modellliste hier',
  'the archive holds the model {name}, which is not in the manifest here':
    'Das Archiv enthält das Modell {name}, das nicht in der Modellliste hier steht',
  'the archive\'s {name} has {count} bytes; the manifest here says {wanted}':
    '{name} im Archiv hat {count} Byte, nach der Modellliste hier müssten es {wanted} sein',
  'the disk of {path} has {free} free, and {wanted} are needed; make room and try again':
    'Auf der Festplatte von {path} sind {free} frei, aber {wanted} nötig; schaffen Sie Platz und versuchen Sie es noch einmal',
  'the disk of {path} is full; nothing was installed': 'Die Festplatte von {path} ist voll; es wurde nichts installiert',
  'another `stenobox models` command is writing to {path}; try again when it is done':
    'In {path} werden gerade andere Modelle geschrieben; versuchen Sie es noch einmal, wenn das fertig ist',
  'it failed inside the appliance; details are in the log':
    'In Stenobox ist etwas schiefgegangen; Einzelheiten stehen im Protokoll des Servers',

  // Why speakers were not told apart
  'The speaker model is missing or damaged; the administrator can see more with: stenobox doctor.':
    'Das Sprechermodell fehlt oder ist beschädigt. Ein Administrator sieht mit „stenobox doctor“ mehr.',
  'There was not enough memory to tell the speakers apart.': 'Der Arbeitsspeicher reichte dafür nicht aus.',
  'The disk was full.': 'Die Festplatte war voll.',
  'Telling the speakers apart took too long and was stopped.': 'Es dauerte zu lange und wurde abgebrochen.',
  'Telling the speakers apart was interrupted many times at the same point and was stopped.':
    'Es wurde mehrmals an derselben Stelle unterbrochen und dann abgebrochen.',
  'Something went wrong while the speakers were told apart; details are in the log.':
    'Dabei ist etwas schiefgegangen. Einzelheiten stehen im Protokoll des Servers.',

  // Why a recording could not be transcribed
  'The source could not be fetched: it does not answer, sends an invalid answer, or is far too slow. Try again later.':
    'Die Aufnahme konnte nicht abgerufen werden: Die Quelle antwortet nicht, falsch oder viel zu langsam. Versuchen Sie es später ' +
      'noch einmal.',
  'The source needs a login, or is not reachable from this network. Make it public, or upload the file.':
    'Die Quelle verlangt eine Anmeldung oder ist aus diesem Netz nicht erreichbar. Geben Sie sie frei oder laden Sie die Datei hoch.',
  'There is nothing at the address. Check that it opens in a browser.':
    'Unter dieser Adresse gibt es nichts. Prüfen Sie, ob sie sich im Browser öffnen lässt.',
  ['The address is on a network that this appliance may not fetch from, or fetching is turned off. The administrator can allow ' +
    'it with STENOBOX_ALLOW_SOURCES and STENOBOX_OFFLINE.']:
    'Aus dem Netz dieser Adresse darf Stenobox nichts abrufen, oder das Abrufen ist ausgeschaltet. Ein Administrator kann es mit ' +
      'STENOBOX_ALLOW_SOURCES und STENOBOX_OFFLINE erlauben.',
  ['No single recording was found at the address. Live streams, playlists, pages of unknown platforms and feeds of more than 8 ' +
    'MiB are not supported.']:
    'Unter dieser Adresse wurde keine einzelne Aufnahme gefunden. Livestreams, Playlists, Seiten unbekannter Plattformen und Feeds ' +
      'über 8 MiB werden nicht unterstützt.',
  'The recording is larger than this appliance accepts (STENOBOX_MAX_MEDIA_BYTES).':
    'Die Aufnahme ist größer, als Stenobox sie annimmt (STENOBOX_MAX_MEDIA_BYTES).',
  'The recording is longer than this appliance accepts.': 'Die Aufnahme ist länger, als Stenobox sie annimmt. Teilen Sie sie auf.',
  'The file is not audio or video that can be read. Check that it plays, and upload it again.':
    'Die Datei ist kein lesbares Audio oder Video. Prüfen Sie, ob sie sich abspielen lässt, und laden Sie sie noch einmal hoch.',
  'The file has no sound track.': 'Die Datei hat keine Tonspur.',
  'The sound could not be decoded: the file is damaged or cut off. Upload it again from the original.':
    'Der Ton konnte nicht gelesen werden: Die Datei ist beschädigt oder abgeschnitten. Laden Sie das Original noch einmal hoch.',
  'The speech model is missing or damaged. The administrator can see which with: stenobox doctor':
    'Das Transkriptionsmodell fehlt oder ist beschädigt. Ein Administrator kann mit „stenobox doctor“ sehen, welches.',
  'There was not enough memory for the speech model. Use a smaller model or fewer workers.':
    'Der Arbeitsspeicher reichte für das Transkriptionsmodell nicht aus. Ein Administrator kann ein kleineres Modell oder weniger ' +
      'Worker einstellen.',
  'The disk is full. Free some space and transcribe the file again.':
    'Die Festplatte ist voll. Bitten Sie einen Administrator, Platz zu schaffen, und versuchen Sie es noch einmal.',
  'Reading the file took too long and was stopped.': 'Das Lesen der Datei dauerte zu lange und wurde abgebrochen.',
  'The job was interrupted several times at the same point and was stopped.':
    'Der Auftrag wurde mehrmals an derselben Stelle unterbrochen und dann abgebrochen.',
  'Something went wrong inside the appliance. Details are in the log.':
    'In Stenobox ist etwas schiefgegangen. Einzelheiten stehen im Protokoll des Servers.'
} satisfies Sentences

export const say = createSay(sentences)
