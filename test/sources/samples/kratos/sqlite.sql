PRAGMA foreign_keys=OFF;
BEGIN TRANSACTION;
CREATE TABLE IF NOT EXISTS "networks" (
"id" TEXT PRIMARY KEY,
"created_at" DATETIME NOT NULL,
"updated_at" DATETIME NOT NULL
);
INSERT INTO networks VALUES('b50da2e0-6820-458c-ba77-e27c71a24684','2026-11-24 13:57:34.069181+00:00','2026-11-24 13:57:34.069181+00:00');
CREATE TABLE IF NOT EXISTS "identity_credential_types" (
"id" TEXT PRIMARY KEY,
"name" TEXT NOT NULL
);
INSERT INTO identity_credential_types VALUES('78c1b41d-8341-4507-aa60-aff1d4369670','password');
INSERT INTO identity_credential_types VALUES('6fa5e2e0-bfce-4631-b62b-cf2b0252b289','oidc');
INSERT INTO identity_credential_types VALUES('5e29b036-aa47-457f-9fe6-aa8b854a752b','totp');
INSERT INTO identity_credential_types VALUES('567a0730-7f48-4dd7-a13d-df87a51c245f','lookup_secret');
INSERT INTO identity_credential_types VALUES('6b213fa0-e6ad-46cb-8878-b088d2ce2e3c','webauthn');
INSERT INTO identity_credential_types VALUES('14f3b7e2-8725-4068-be39-8a796485fd97','code');
INSERT INTO identity_credential_types VALUES('8d0ca544-9bf6-45d3-bd75-0bbb3aeba3c7','passkey');
CREATE TABLE IF NOT EXISTS "identities" (
"id" TEXT PRIMARY KEY,
"schema_id" TEXT NOT NULL,
"traits" TEXT NOT NULL,
"created_at" DATETIME NOT NULL,
"updated_at" DATETIME NOT NULL,
"nid" char(36)
, "state" TEXT NOT NULL DEFAULT 'active', "state_changed_at" DATETIME, metadata_public jsonb NULL, metadata_admin jsonb NULL, available_aal VARCHAR(4) NULL, organization_id uuid null);
INSERT INTO identities VALUES('5b264aa1-fb3c-402c-b5d4-94891d3e35df','default',replace('{"email":"zoe@example.org","name":"Zo\u00eb M\u00fcller"}\n','\n',char(10)),'2026-11-24 14:00:23.599664+00:00','2026-11-24 14:00:23.599664+00:00','b50da2e0-6820-458c-ba77-e27c71a24684','active','2026-11-24 14:00:23.598760816+00:00',NULL,NULL,'aal1',NULL);
INSERT INTO identities VALUES('f055d0da-56ec-4529-bcef-5ffa285e6571','default',replace('{"email":"o''brien@example.org","name":"O''Brien \\ \"q\"\n2nd"}\012','\012',char(10)),'2026-11-24 14:00:23.629011+00:00','2026-11-24 14:00:23.629011+00:00','b50da2e0-6820-458c-ba77-e27c71a24684','active','2026-11-24 14:00:23.62826629+00:00',NULL,NULL,'aal1',NULL);
INSERT INTO identities VALUES('dfb03d07-cba4-4f06-be85-a08048d5ab3c','default',replace('{"email":"long@example.org","name":"Long"}\n','\n',char(10)),'2026-11-24 14:00:23.657655+00:00','2026-11-24 14:00:23.657655+00:00','b50da2e0-6820-458c-ba77-e27c71a24684','active','2026-11-24 14:00:23.656939839+00:00',NULL,NULL,'aal1',NULL);
INSERT INTO identities VALUES('ee974f39-22e8-44ec-915c-31776ec4b408','default',replace('{"email":"off@example.org","name":"Off"}\n','\n',char(10)),'2026-11-24 14:00:23.696136+00:00','2026-11-24 14:00:23.696136+00:00','b50da2e0-6820-458c-ba77-e27c71a24684','inactive','2026-11-24 14:00:23.695334213+00:00',NULL,NULL,'aal1',NULL);
INSERT INTO identities VALUES('c2860cf2-a9ba-4e0b-80b1-2cef16b62957','default',replace('{"email":"social@example.org","name":"Social"}\n','\n',char(10)),'2026-11-24 14:00:23.7102+00:00','2026-11-24 14:00:23.7102+00:00','b50da2e0-6820-458c-ba77-e27c71a24684','active','2026-11-24 14:00:23.709563288+00:00',NULL,NULL,'aal1',NULL);
INSERT INTO identities VALUES('14059d77-5e34-42a8-9409-e12b09b2620f','default',replace('{"email":"pbkdf2@example.org","name":"PBKDF2"}\n','\n',char(10)),'2026-11-24 14:00:23.726108+00:00','2026-11-24 14:00:23.726108+00:00','b50da2e0-6820-458c-ba77-e27c71a24684','active','2026-11-24 14:00:23.725465536+00:00','null','null','aal1',NULL);
INSERT INTO identities VALUES('ee3aef52-8300-4ac6-8091-a64f8d5b382d','default',replace('{"email":"md5@example.org","name":"MD5"}\n','\n',char(10)),'2026-11-24 14:00:23.737505+00:00','2026-11-24 14:00:23.737505+00:00','b50da2e0-6820-458c-ba77-e27c71a24684','active','2026-11-24 14:00:23.736762219+00:00','null','null','aal1',NULL);
INSERT INTO identities VALUES('e6967291-c478-4790-bc5b-afb78258dcfc','default',replace('{"email":"none@example.org","name":"None"}\n','\n',char(10)),'2026-11-24 14:00:23.743788+00:00','2026-11-24 14:00:23.743788+00:00','b50da2e0-6820-458c-ba77-e27c71a24684','active','2026-11-24 14:00:23.743145041+00:00',NULL,NULL,'aal0',NULL);
INSERT INTO identities VALUES('c0fb0196-31c5-41f5-9ed7-b4fecfb7c1c2','default',replace('{"email":"totp@example.org","name":"Totp"}\n','\n',char(10)),'2026-11-24 14:00:23.798214+00:00','2026-11-24 14:00:23.798214+00:00','b50da2e0-6820-458c-ba77-e27c71a24684','active','2026-11-24 14:00:23.797390566+00:00','null','null','aal2',NULL);
CREATE TABLE IF NOT EXISTS "identity_credentials" (
"id" TEXT PRIMARY KEY,
"config" TEXT NOT NULL,
"identity_credential_type_id" char(36) NOT NULL,
"identity_id" char(36) NOT NULL,
"created_at" DATETIME NOT NULL,
"updated_at" DATETIME NOT NULL,
"nid" char(36), version INT NOT NULL DEFAULT '0',
FOREIGN KEY (identity_credential_type_id) REFERENCES identity_credential_types (id) ON UPDATE NO ACTION ON DELETE CASCADE,
FOREIGN KEY (identity_id) REFERENCES identities (id) ON UPDATE NO ACTION ON DELETE CASCADE
);
INSERT INTO identity_credentials VALUES('8130e132-7a91-4bde-bdb7-e758d30c7219','{"hashed_password":"$2a$08$RMT/QuBPNOcNuKDo02CVhevG33aiEzgQ0ZbARJwiBiBO4kz3tEtNi"}','78c1b41d-8341-4507-aa60-aff1d4369670','5b264aa1-fb3c-402c-b5d4-94891d3e35df','2026-11-24 14:00:23.602879+00:00','2026-11-24 14:00:23.602879+00:00','b50da2e0-6820-458c-ba77-e27c71a24684',0);
INSERT INTO identity_credentials VALUES('b7c7d180-a301-4d01-9067-16c3e6867c58','{"hashed_password":"$2a$08$r7cEjGnPtoZ2yVczPSglGuIpelQESar5NAceqhUGTxOHh8Lzk0YgW"}','78c1b41d-8341-4507-aa60-aff1d4369670','f055d0da-56ec-4529-bcef-5ffa285e6571','2026-11-24 14:00:23.629722+00:00','2026-11-24 14:00:23.629722+00:00','b50da2e0-6820-458c-ba77-e27c71a24684',0);
INSERT INTO identity_credentials VALUES('7ec6bf86-e380-47c7-b46c-b652ef1ac5ae','{"hashed_password":"$2a$08$Z/yCzbJeNlyvMq5p10JPfu9BdWCQFxVI2sfUPwpuQRXYvIB2/dhZm"}','78c1b41d-8341-4507-aa60-aff1d4369670','dfb03d07-cba4-4f06-be85-a08048d5ab3c','2026-11-24 14:00:23.658729+00:00','2026-11-24 14:00:23.658729+00:00','b50da2e0-6820-458c-ba77-e27c71a24684',0);
INSERT INTO identity_credentials VALUES('e073f54f-a476-4b30-b85a-ec41c0910d18','{"hashed_password":"$2a$08$IyWjgv1zfrNutgORuAxDo.RDzgXMvhA0sNUXqGSmxTWTJhdhiBM3C"}','78c1b41d-8341-4507-aa60-aff1d4369670','ee974f39-22e8-44ec-915c-31776ec4b408','2026-11-24 14:00:23.696809+00:00','2026-11-24 14:00:23.696809+00:00','b50da2e0-6820-458c-ba77-e27c71a24684',0);
INSERT INTO identity_credentials VALUES('3f8b3a72-8f65-4b89-9bfa-95f4a29af1f6','{"providers":[{"subject":"583231","provider":"github","initial_id_token":"","initial_access_token":"","initial_refresh_token":""}]}','6fa5e2e0-bfce-4631-b62b-cf2b0252b289','c2860cf2-a9ba-4e0b-80b1-2cef16b62957','2026-11-24 14:00:23.714954+00:00','2026-11-24 14:00:23.714954+00:00','b50da2e0-6820-458c-ba77-e27c71a24684',0);
INSERT INTO identity_credentials VALUES('340d7a5f-cf59-4a86-8e68-4a4e43e9efb8','{}','78c1b41d-8341-4507-aa60-aff1d4369670','c2860cf2-a9ba-4e0b-80b1-2cef16b62957','2026-11-24 14:00:23.714958+00:00','2026-11-24 14:00:23.714958+00:00','b50da2e0-6820-458c-ba77-e27c71a24684',0);
INSERT INTO identity_credentials VALUES('39b9e42c-da28-4f8e-9f63-b90ecf6b30e9','{}','78c1b41d-8341-4507-aa60-aff1d4369670','e6967291-c478-4790-bc5b-afb78258dcfc','2026-11-24 14:00:23.744333+00:00','2026-11-24 14:00:23.744333+00:00','b50da2e0-6820-458c-ba77-e27c71a24684',0);
INSERT INTO identity_credentials VALUES('574f3a52-0597-44bd-835b-0404dbbcddb1','{"hashed_password":"$2a$08$qSTQZmFYQmf/dU0zvYrqLOzEVlUXc9nRcwEKQzHUxO.AF/ZbK4/uu"}','78c1b41d-8341-4507-aa60-aff1d4369670','c0fb0196-31c5-41f5-9ed7-b4fecfb7c1c2','2026-11-24 14:00:23.807534+00:00','2026-11-24 14:00:23.930867+00:00','b50da2e0-6820-458c-ba77-e27c71a24684',0);
INSERT INTO identity_credentials VALUES('d9b6ff7b-5f38-4890-8d57-276e7521a926','{"totp_url":"otpauth://totp/127.0.0.1:totp@example.org?algorithm=SHA1\u0026digits=6\u0026issuer=127.0.0.1\u0026period=30\u0026secret=4P2AEPTUZRKIH4NM53FWQVOTKRYF33PU"}','5e29b036-aa47-457f-9fe6-aa8b854a752b','c0fb0196-31c5-41f5-9ed7-b4fecfb7c1c2','2026-11-24 14:00:23.930877+00:00','2026-11-24 14:00:23.930877+00:00','b50da2e0-6820-458c-ba77-e27c71a24684',0);
INSERT INTO identity_credentials VALUES('58173d0b-8214-4011-a6e5-99ce99fb7265','{"hashed_password":"$2a$08$h94TbHW3B5MJ3ovaKStb6O.NgdqCLJOWw85ymIfE49CoUTH9OT1eK"}','78c1b41d-8341-4507-aa60-aff1d4369670','14059d77-5e34-42a8-9409-e12b09b2620f','2026-11-24 14:00:23.726781+00:00','2026-11-24 14:00:24.162211+00:00','b50da2e0-6820-458c-ba77-e27c71a24684',0);
INSERT INTO identity_credentials VALUES('d86c527a-5eca-460f-a253-aa535d3f14df','{"hashed_password":"$2a$08$O5HtaEsCAMS5oVJLlHFBkuLjFGxNJRvQGSOLj/renlz5PsTCUuZSS"}','78c1b41d-8341-4507-aa60-aff1d4369670','ee3aef52-8300-4ac6-8091-a64f8d5b382d','2026-11-24 14:00:23.738287+00:00','2026-11-24 14:00:24.205804+00:00','b50da2e0-6820-458c-ba77-e27c71a24684',0);
CREATE TABLE IF NOT EXISTS "identity_recovery_addresses" (
"id" TEXT PRIMARY KEY,
"via" TEXT NOT NULL,
"value" TEXT NOT NULL,
"identity_id" char(36) NOT NULL,
"created_at" DATETIME NOT NULL,
"updated_at" DATETIME NOT NULL,
"nid" char(36),
FOREIGN KEY (identity_id) REFERENCES identities (id) ON UPDATE NO ACTION ON DELETE CASCADE
);
CREATE TABLE IF NOT EXISTS "identity_verifiable_addresses" (
"id" TEXT PRIMARY KEY,
"status" TEXT NOT NULL,
"via" TEXT NOT NULL,
"verified" bool NOT NULL,
"value" TEXT NOT NULL,
"verified_at" DATETIME,
"identity_id" char(36) NOT NULL,
"created_at" DATETIME NOT NULL,
"updated_at" DATETIME NOT NULL,
"nid" char(36),
FOREIGN KEY (identity_id) REFERENCES identities (id) ON UPDATE NO ACTION ON DELETE CASCADE
);
INSERT INTO identity_verifiable_addresses VALUES('d3021483-ae2d-4569-b70d-1b3040e288fc','completed','email',1,'zoe@example.org','2026-11-24 14:00:23.600900562+00:00','5b264aa1-fb3c-402c-b5d4-94891d3e35df','2026-11-24 14:00:23.60099+00:00','2026-11-24 14:00:23.60099+00:00','b50da2e0-6820-458c-ba77-e27c71a24684');
INSERT INTO identity_verifiable_addresses VALUES('aba46024-149b-4270-ae52-414170364d6b','pending','email',0,'o''brien@example.org',NULL,'f055d0da-56ec-4529-bcef-5ffa285e6571','2026-11-24 14:00:23.62951+00:00','2026-11-24 14:00:23.62951+00:00','b50da2e0-6820-458c-ba77-e27c71a24684');
INSERT INTO identity_verifiable_addresses VALUES('8907b02a-662a-4179-88a4-d255dee39767','pending','email',0,'long@example.org',NULL,'dfb03d07-cba4-4f06-be85-a08048d5ab3c','2026-11-24 14:00:23.658312+00:00','2026-11-24 14:00:23.658312+00:00','b50da2e0-6820-458c-ba77-e27c71a24684');
INSERT INTO identity_verifiable_addresses VALUES('258642b1-f178-4f11-9d9c-e33941dd04b2','pending','email',0,'off@example.org',NULL,'ee974f39-22e8-44ec-915c-31776ec4b408','2026-11-24 14:00:23.696577+00:00','2026-11-24 14:00:23.696577+00:00','b50da2e0-6820-458c-ba77-e27c71a24684');
INSERT INTO identity_verifiable_addresses VALUES('4e84447f-ed6f-427f-922e-48f914d99502','completed','email',1,'social@example.org','2026-11-24 14:00:23.710538355+00:00','c2860cf2-a9ba-4e0b-80b1-2cef16b62957','2026-11-24 14:00:23.710564+00:00','2026-11-24 14:00:23.710564+00:00','b50da2e0-6820-458c-ba77-e27c71a24684');
INSERT INTO identity_verifiable_addresses VALUES('c774f0ba-ba60-43dd-b270-60bbcfaf3946','pending','email',0,'pbkdf2@example.org',NULL,'14059d77-5e34-42a8-9409-e12b09b2620f','2026-11-24 14:00:23.726519+00:00','2026-11-24 14:00:23.726519+00:00','b50da2e0-6820-458c-ba77-e27c71a24684');
INSERT INTO identity_verifiable_addresses VALUES('dc71a57b-a646-42d1-b235-58704f3d8962','pending','email',0,'md5@example.org',NULL,'ee3aef52-8300-4ac6-8091-a64f8d5b382d','2026-11-24 14:00:23.737972+00:00','2026-11-24 14:00:23.737972+00:00','b50da2e0-6820-458c-ba77-e27c71a24684');
INSERT INTO identity_verifiable_addresses VALUES('1fa128f2-51c0-4a5b-a403-3bc26c516090','pending','email',0,'none@example.org',NULL,'e6967291-c478-4790-bc5b-afb78258dcfc','2026-11-24 14:00:23.744127+00:00','2026-11-24 14:00:23.744127+00:00','b50da2e0-6820-458c-ba77-e27c71a24684');
INSERT INTO identity_verifiable_addresses VALUES('a6525fad-2796-4a34-a67f-225f4804c4fa','pending','email',0,'totp@example.org',NULL,'c0fb0196-31c5-41f5-9ed7-b4fecfb7c1c2','2026-11-24 14:00:23.807208+00:00','2026-11-24 14:00:23.807208+00:00','b50da2e0-6820-458c-ba77-e27c71a24684');
CREATE TABLE IF NOT EXISTS "identity_credential_identifiers" (
"id" TEXT PRIMARY KEY,
"identifier" TEXT NOT NULL,
"identity_credential_id" char(36) NOT NULL,
"created_at" DATETIME NOT NULL,
"updated_at" DATETIME NOT NULL,
"nid" char(36),
"identity_credential_type_id" char(36) NOT NULL,
FOREIGN KEY (identity_credential_id) REFERENCES identity_credentials (id) ON UPDATE NO ACTION ON DELETE CASCADE
);
INSERT INTO identity_credential_identifiers VALUES('e5d9e004-7502-475a-bdbe-5c26a96dbc59','zoe@example.org','8130e132-7a91-4bde-bdb7-e758d30c7219','2026-11-24 14:00:23.603347+00:00','2026-11-24 14:00:23.603347+00:00','b50da2e0-6820-458c-ba77-e27c71a24684','78c1b41d-8341-4507-aa60-aff1d4369670');
INSERT INTO identity_credential_identifiers VALUES('bfb90b6a-c41f-4d91-8ca8-36f963660f88','o''brien@example.org','b7c7d180-a301-4d01-9067-16c3e6867c58','2026-11-24 14:00:23.629872+00:00','2026-11-24 14:00:23.629872+00:00','b50da2e0-6820-458c-ba77-e27c71a24684','78c1b41d-8341-4507-aa60-aff1d4369670');
INSERT INTO identity_credential_identifiers VALUES('c6f1c341-b0e2-4b38-ba0a-850a75bbeb3d','long@example.org','7ec6bf86-e380-47c7-b46c-b652ef1ac5ae','2026-11-24 14:00:23.659074+00:00','2026-11-24 14:00:23.659074+00:00','b50da2e0-6820-458c-ba77-e27c71a24684','78c1b41d-8341-4507-aa60-aff1d4369670');
INSERT INTO identity_credential_identifiers VALUES('12070976-8365-44d1-9941-b0e433e88e6e','off@example.org','e073f54f-a476-4b30-b85a-ec41c0910d18','2026-11-24 14:00:23.696927+00:00','2026-11-24 14:00:23.696927+00:00','b50da2e0-6820-458c-ba77-e27c71a24684','78c1b41d-8341-4507-aa60-aff1d4369670');
INSERT INTO identity_credential_identifiers VALUES('707d4aed-242f-4904-8736-fe3e2b52762a','github:583231','3f8b3a72-8f65-4b89-9bfa-95f4a29af1f6','2026-11-24 14:00:23.715252+00:00','2026-11-24 14:00:23.715252+00:00','b50da2e0-6820-458c-ba77-e27c71a24684','6fa5e2e0-bfce-4631-b62b-cf2b0252b289');
INSERT INTO identity_credential_identifiers VALUES('3fcc6bfe-0bfd-4fdd-ac7d-fe7b84e6869b','social@example.org','340d7a5f-cf59-4a86-8e68-4a4e43e9efb8','2026-11-24 14:00:23.715256+00:00','2026-11-24 14:00:23.715256+00:00','b50da2e0-6820-458c-ba77-e27c71a24684','78c1b41d-8341-4507-aa60-aff1d4369670');
INSERT INTO identity_credential_identifiers VALUES('540cf4df-46d0-45e7-99d1-72cc0b11453a','none@example.org','39b9e42c-da28-4f8e-9f63-b90ecf6b30e9','2026-11-24 14:00:23.744509+00:00','2026-11-24 14:00:23.744509+00:00','b50da2e0-6820-458c-ba77-e27c71a24684','78c1b41d-8341-4507-aa60-aff1d4369670');
INSERT INTO identity_credential_identifiers VALUES('f0b4e52c-a576-4402-8e45-20d69605cbb3','totp@example.org','574f3a52-0597-44bd-835b-0404dbbcddb1','2026-11-24 14:00:23.931497+00:00','2026-11-24 14:00:23.931497+00:00','b50da2e0-6820-458c-ba77-e27c71a24684','78c1b41d-8341-4507-aa60-aff1d4369670');
INSERT INTO identity_credential_identifiers VALUES('ec767827-b20e-4f97-8486-edcd0d249865','c0fb0196-31c5-41f5-9ed7-b4fecfb7c1c2','d9b6ff7b-5f38-4890-8d57-276e7521a926','2026-11-24 14:00:23.931503+00:00','2026-11-24 14:00:23.931503+00:00','b50da2e0-6820-458c-ba77-e27c71a24684','5e29b036-aa47-457f-9fe6-aa8b854a752b');
INSERT INTO identity_credential_identifiers VALUES('9f50cfd5-65c1-42cf-b94b-237290597ef8','pbkdf2@example.org','58173d0b-8214-4011-a6e5-99ce99fb7265','2026-11-24 14:00:24.162369+00:00','2026-11-24 14:00:24.162369+00:00','b50da2e0-6820-458c-ba77-e27c71a24684','78c1b41d-8341-4507-aa60-aff1d4369670');
INSERT INTO identity_credential_identifiers VALUES('60319cb5-ad96-4746-b038-b480a47ec231','md5@example.org','d86c527a-5eca-460f-a253-aa535d3f14df','2026-11-24 14:00:24.205976+00:00','2026-11-24 14:00:24.205976+00:00','b50da2e0-6820-458c-ba77-e27c71a24684','78c1b41d-8341-4507-aa60-aff1d4369670');
COMMIT;
